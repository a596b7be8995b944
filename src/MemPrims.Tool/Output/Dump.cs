namespace MemPrims.Tool.Output;

// Entries of a file, one a line: values between tabs, for cut and awk too, or a JSON object. Written in large blocks: there may be
// millions.
internal sealed class Dump(bool asJson, long limit) : IDisposable
{
    private const int BufferBytes = 1 << 16;

    private readonly Stream _output = new BufferedStream(Console.OpenStandardOutput(), BufferBytes);
    private long _left = limit;

    public bool IsFull => _left == 0;

    // Writes an entry. A value is a text, a number, a bool or an array of bytes.
    public void Line(params (string Name, object Value)[] values)
    {
        if (_left == 0) return;
        _left--;
        if (asJson)
        {
            // A layout that somebody else wrote may have a name twice: the last value counts.
            OrderedDictionary<string, object> line = [];
            foreach ((string name, object value) in values) line[name] = value;
            JsonSerializer.Serialize(_output, line);
        }
        else _output.Write(Encoding.UTF8.GetBytes(string.Join('\t', values.Select(value => Shown(value.Value)))));
        _output.WriteByte((byte)'\n');
    }

    public void Dispose() => _output.Dispose();

    private static string Shown(object value) => value is byte[] bytes ? Printable.Bytes(bytes)
        : Printable.Text(Convert.ToString(value, CultureInfo.InvariantCulture)!);
}
