using System.Text.Json;

namespace MemPrims.Tool.Output;

// What a command found, by name: lines for people, or one JSON object. A value is a text, a number, a bool, or a list of texts. It is
// written when it is disposed, so that what was found before an error is told too.
internal sealed class Report(bool asJson) : IDisposable
{
    private const int NameWidth = 32;

    private readonly List<(string Name, object Value)> _findings = [];

    public void Add(string name, object value) => _findings.Add((name, value));

    public void Dispose() => Console.Write(asJson ? Json() : Lines());

    private string Lines()
    {
        StringBuilder lines = new();
        foreach ((string name, object value) in _findings)
        {
            if (value is IEnumerable<string> list)
                foreach (string item in list) lines.Append($"{name} ".PadRight(NameWidth)).Append(Printable.Text(item)).Append('\n');
            else lines.Append($"{name} ".PadRight(NameWidth)).Append(Shown(value)).Append('\n');
        }
        return lines.ToString();
    }

    private static string Shown(object value) => value switch
    {
        bool holds => holds ? "yes" : "no",
        string text => Printable.Text(text),
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => throw new NotSupportedException($"A report has no {value.GetType().Name}."),
    };

    private string Json()
    {
        using MemoryStream bytes = new();
        using (Utf8JsonWriter json = new(bytes, new() { Indented = true }))
        {
            json.WriteStartObject();
            foreach ((string name, object value) in _findings)
            {
                json.WritePropertyName(name);
                JsonLine.Write(json, value);
            }
            json.WriteEndObject();
        }
        return Encoding.UTF8.GetString(bytes.ToArray()) + "\n";
    }
}
