using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;

namespace MemPrims.Records.Generator;

// The checked-in layouts: lines such as `0x00001D57 v1 = 0:i64@0 1:i32@8` in AdditionalFiles that end in .recordlayout, with # for
// comments. A line there is a promise to files that exist; the build breaks when the code no longer keeps it.
internal static class LayoutLock
{
    private const string Field = @"\d+:([a-z0-9]+|\{[a-z0-9+{}]+\})(\[\d+\]|\(\d+\)|\?)?@\d+";

    private static readonly Regex s_line = new($@"^0x[0-9A-F]{{8}} v[1-9][0-9]{{0,4}} = {Field}( {Field})*$");

    public const string Extension = ".recordlayout";

    public static EquatableArray<string> Read(AdditionalText file, CancellationToken cancellation) =>
        new([.. (file.GetText(cancellation)?.Lines.Select(line => line.ToString().Trim()) ?? []).Where(line => line.Length > 0
            && line[0] != '#')]);

    // A damaged line is an error: it was a promise too, and nobody knows which one.
    public static IEnumerable<Problem> Damage(IEnumerable<string> locked)
    {
        foreach (string line in locked)
            if (!s_line.IsMatch(line)) yield return new(Diagnostics.DamagedLayoutFile.Id, null, new([line]));
    }

    public static IEnumerable<Problem> Check(RecordModel model, IEnumerable<string> locked)
    {
        Dictionary<string, string> released = [];
        foreach (string line in locked) released[Key(line)] = line;
        for (int version = 1; version <= model.Version; version++)
        {
            string line = model.Line(version);
            bool known = released.TryGetValue(Key(line), out string? promised);
            if (known && promised != line)
                yield return new(Diagnostics.LayoutChanged.Id, model.Where, new([model.Name, version.ToString(), promised!, line]));
            if (!known) yield return new(Diagnostics.LayoutNotLocked.Id, model.Where, new([model.Name, line]));
        }
        // A released version that the code has no longer: files of it exist all the same.
        foreach (string key in released.Keys.Where(key => key.StartsWith($"0x{model.Id:X8} v", StringComparison.Ordinal)))
        {
            if (!int.TryParse(key.Substring("0x00000000 v".Length), out int version) || version > model.Version)
                yield return new(Diagnostics.LayoutChanged.Id, model.Where,
                    new([model.Name, key.Substring("0x00000000 v".Length), released[key], "(nothing)"]));
        }
    }

    private static string Key(string line) => line.Split('=')[0].Trim();
}
