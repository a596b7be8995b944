using System.Globalization;
using System.Text;
using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Publish;

/// <summary>
/// How many times as fast as what one would otherwise use, as SVG: a bar a case, to the right of 1 where MemPrims is faster, and to the
/// left, in another color, where it is slower; the axis is logarithmic. The cases are the same whatever was measured: no loss drops out.
/// Colors have contrast on white and on black, and text takes the color scheme of the reader.
/// </summary>
internal static class PeerPlot
{
    private const int Width = 760, Left = 300, Right = 64, Top = 52, Step = 20, Bar = 13;
    private const double Slowest = 0.25, Fastest = 16;

    private const string Style = "text { fill: #333 } .grid { stroke: #8884 } .one { stroke: #888 } .faster { fill: #0a7dd6 } "
        + ".slower { fill: #d95f02 } @media (prefers-color-scheme: dark) { text { fill: #ddd } }";

    private static readonly (string Label, string Group, string Name, string Peer)[] s_cases =
    [
        ("record, one update on the disk: LMDB", "Records", "one update, PowerLoss, raw bytes in the peers, 100000 records, disk",
            "LMDB, bytes, sync"),
        ("the same: SQLite", "Records", "one update, PowerLoss, raw bytes in the peers, 100000 records, disk", "SQLite, blob, WAL, FULL"),
        ("records, scan of one field: LMDB", "Records", "scan of one field, 100000 records", "LMDB cursor"),
        ("log, 100 appends and a sync: LMDB", "Records", "log: 100 appends and a sync, disk", "LMDB, sync"),
        ("log, append without sync: FileStream", "Records", "log: append of 100 B without sync, disk", "FileStream and a CRC loop"),
        ("sets, clustered, count: CRoaring", "Sets/IdSet count", "100 k × 100 k in 1 M, clustered", "CRoaring"),
        ("sets, uniform, count: CRoaring", "Sets/IdSet count", "100 k × 100 k in 10 M, uniform", "CRoaring"),
        ("facets of 1 % of a million: int[]", "Sets/facet field", "100 values, even, one each, 1 %", "int[] by hand"),
        ("search in a page: SequenceCompareTo", "page search, hot", "orders/ padded, dependent", "SequenceCompareTo"),
        ("tree, a million inserts: LMDB", "tree, insert 1 M", "orders/ padded, ascending", "LMDB"),
        ("tree, scans of 1,000: LMDB", "tree, 1 M, queries", "random 16 bytes: scans of 1,000", "LMDB"),
        ("messages of 64 B: .NET Socket", "channels, one way, two processors", "64 B", ".NET Socket"),
        ("protobuf, encode: generated code", "Wire: encode", "25 mixed fields", "generated, IBufferWriter"),
        ("protobuf, decode and read: generated code", "Wire: decode and read every field", "25 mixed fields", "generated ParseFrom"),
        ("ten fields read: BinaryReader", "Reading ten mixed fields", "SpanReader", "BinaryReader"),
        ("the same: loop over a pointer", "Reading ten mixed fields", "SpanReader", "pointer loop"),
        ("varints in bulk: loop", "Numbers in bulk", "Varint.ReadMany, realistic", "plain loop"),
        ("equality, 0–64 B: SequenceEqual", "equal, random", "0–64", "SequenceEqual"),
        ("copy, 0–64 B: Buffer.MemoryCopy", "copy, random", "0–64", "Buffer.MemoryCopy"),
        ("order, 0–64 B: SequenceCompareTo", "compare, random, equal", "0–64", "SequenceCompareTo"),
        ("order, 0–16 B: memcmp", "compare, random, equal", "0–16", "libc"),
    ];

    /// <summary>The plot of a processor's results; cases that it has no results of are left out.</summary>
    public static string Of(string processor, IEnumerable<RatioResult> results)
    {
        Dictionary<(string, string, string), double> ratios = [];
        foreach (RatioResult row in results)
            foreach (PeerResult peer in row.Peers) ratios[(row.Group, row.Name, peer.Peer)] = peer.RatioOfMedians;
        var bars = s_cases.Where(c => ratios.ContainsKey((c.Group, c.Name, c.Peer)))
            .Select(c => (c.Label, Case: $"{c.Group}: {c.Name} | {c.Peer}", Ratio: ratios[(c.Group, c.Name, c.Peer)])).ToArray();
        int bottom = Top + bars.Length * Step, height = bottom + 24;
        StringBuilder svg = new();
        svg.AppendLine($"""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {Width} {height}" font-family="sans-serif" font-size="12"
              role="img" aria-label="MemPrims beside what one would otherwise use: peer time divided by ours">
            <style>{Style}</style>
            <text x="8" y="18" font-size="14">times as fast as what you would otherwise use; left of 1: slower</text>
            <text x="8" y="36">{processor}; peer's time divided by ours, medians</text>
            """);
        for (double tick = Slowest; tick <= Fastest; tick *= 2)
            svg.AppendLine($"""
                <line class="{(tick == 1 ? "one" : "grid")}" x1="{Text(X(tick))}" y1="{Top - 6}" x2="{Text(X(tick))}" y2="{bottom}"/>
                <text x="{Text(X(tick))}" y="{bottom + 16}" text-anchor="middle">{Text(tick)}</text>
                """);
        for (int i = 0; i < bars.Length; i++)
        {
            (string label, string name, double ratio) = bars[i];
            double from = Math.Min(X(1), X(ratio)), to = Math.Max(X(1), X(ratio));
            int y = Top + i * Step;
            string color = ratio < 1 ? "slower" : "faster";
            svg.AppendLine($"""
                <text x="{Left - 8}" y="{y + 11}" text-anchor="end">{label}</text>
                <rect class="{color}" x="{Text(from)}" y="{y}" width="{Text(to - from)}" height="{Bar}"><title>{name}</title></rect>
                <text x="{Text(to + 5)}" y="{y + 11}">{Figure(ratio)}</text>
                """);
        }
        return svg.AppendLine("</svg>").ToString();
    }

    // What lies beyond the axis ends at its edge, and says how far it goes.
    private static double X(double ratio) =>
        Left + (Width - Left - Right) * Math.Log(Math.Clamp(ratio, Slowest, Fastest) / Slowest) / Math.Log(Fastest / Slowest);

    private static string Figure(double ratio) => ratio.ToString(ratio < 9.95 ? "0.00" : "0", CultureInfo.InvariantCulture);

    private static string Text(double number) => number.ToString("0.##", CultureInfo.InvariantCulture);
}
