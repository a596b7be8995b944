using System.Text.Json;

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
    public void Line(params ReadOnlySpan<(string Name, object Value)> values)
    {
        if (_left == 0) return;
        _left--;
        if (asJson)
        {
            using Utf8JsonWriter json = new(_output);
            json.WriteStartObject();
            foreach ((string name, object value) in values)
            {
                json.WritePropertyName(name);
                JsonSerializer.Serialize(json, value);
            }
            json.WriteEndObject();
            json.Flush();
        }
        else
        {
            for (int i = 0; i < values.Length; i++)
            {
                if (i > 0) _output.WriteByte((byte)'\t');
                object value = values[i].Value;
                _output.Write(Encoding.UTF8.GetBytes(value is byte[] bytes ? Printable.Bytes(bytes)
                    : Printable.Text(Convert.ToString(value, CultureInfo.InvariantCulture)!)));
            }
        }
        _output.WriteByte((byte)'\n');
    }

    public void Dispose() => _output.Dispose();
}
