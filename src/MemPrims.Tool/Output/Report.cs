namespace MemPrims.Tool.Output;

// What a command found, by name: lines for people, or one JSON object. A value is a text, a number, a bool, or a list of texts. It is
// written when it is disposed, so that what was found before an error is told too.
internal sealed class Report(bool asJson) : IDisposable
{
    private const int NameWidth = 32;

    private static readonly JsonSerializerOptions s_json = new() { WriteIndented = true };

    private readonly OrderedDictionary<string, object> _findings = [];

    public void Add(string name, object value) => _findings[name] = value;

    public void Dispose() => Console.Write(asJson ? $"{JsonSerializer.Serialize(_findings, s_json)}\n" : string.Concat(
        from finding in _findings
        from value in finding.Value as IEnumerable<object> ?? [finding.Value]
        select $"{$"{finding.Key} ",-NameWidth}{Shown(value)}\n"));

    private static string Shown(object value) =>
        value is bool holds ? holds ? "yes" : "no" : Printable.Text(Convert.ToString(value, CultureInfo.InvariantCulture)!);
}
