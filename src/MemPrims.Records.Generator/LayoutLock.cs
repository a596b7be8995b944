using System.Text.RegularExpressions;

namespace MemPrims.Records.Generator;

// The checked-in layouts: lines such as `0x00001D57 v1 = 0:i64@0 1:i32@8` in AdditionalFiles that end in .recordlayout, with # for
// comments. A line there is a promise to files that exist; the build breaks when the code no longer keeps it.
internal static class LayoutLock
{
    private const string Field = @"\d+:([a-z0-9]+|\{[a-z0-9+{}]+\})(\[\d+\]|\(\d+\)|\?)?@\d+";

    private static readonly Regex s_line = new($@"^0x[0-9A-F]{{8}} v[1-9][0-9]{{0,4}} = {Field}( {Field})*$");

    public const string Extension = ".recordlayout";

    public static EquatableArray<string> Read(AdditionalText file, CancellationToken cancellationToken) =>
        new([.. (file.GetText(cancellationToken)?.Lines.Select(line => line.ToString().Trim()) ?? []).Where(line => line.Length > 0
            && line[0] != '#')]);

    // A damaged line is an error: it was a promise too, and nobody knows which one.
    public static IEnumerable<Problem> Damage(IEnumerable<string> locked)
    {
        foreach (string line in locked)
            if (!s_line.IsMatch(line)) yield return new(Diagnostics.DamagedLayoutFile, null, new([line]));
    }

    public static IEnumerable<Problem> Check(RecordModel model, IEnumerable<string> locked)
    {
        Dictionary<string, string> now = Enumerable.Range(1, model.Version).Select(model.Line).ToDictionary(Key), released = [];
        foreach (string line in locked) released[Key(line)] = line;
        foreach (string key in now.Keys.Where(key => !released.ContainsKey(key)))
            yield return new(Diagnostics.LayoutNotLocked, model.Where, new([model.Name, now[key]]));
        // A released version that the code has no longer is a change too: files of it exist all the same.
        foreach (string key in released.Keys.Where(key => key.StartsWith($"0x{model.Id:X8} v", StringComparison.Ordinal)))
        {
            if (!now.TryGetValue(key, out string? line)) line = "(nothing)";
            if (line != released[key])
                yield return new(Diagnostics.LayoutChanged, model.Where,
                    new([model.Name, key.Substring("0x00000000 v".Length), released[key], line]));
        }
    }

    private static string Key(string line) => line.Split('=')[0].Trim();
}
