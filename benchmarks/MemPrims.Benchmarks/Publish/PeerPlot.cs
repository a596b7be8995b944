using System.Text;
using MemPrims.Benchmarks.Ratio;
using static MemPrims.Benchmarks.Publish.RatioAxis;

namespace MemPrims.Benchmarks.Publish;

/// <summary>
/// How many times as fast as what one would otherwise use, as SVG: a bar a case. The cases are the same whatever was measured: no loss
/// drops out.
/// </summary>
internal static class PeerPlot
{
    private const int Bar = 13;

    private static readonly RatioAxis s_axis = new(0.25, 16, 300, 64);

    /// <summary>Everyday work and what one would otherwise use for it.</summary>
    public static readonly (string Label, string Group, string Name, string Peer)[] Cases =
    [
        ("record, one update on the disk: LMDB", "Records", "one update, PowerLoss, raw bytes in the peers, 100000 records, disk",
            "LMDB, bytes, sync"),
        ("the same: SQLite", "Records", "one update, PowerLoss, raw bytes in the peers, 100000 records, disk", "SQLite, blob, WAL, FULL"),
        ("records, a field of 100,000: LMDB", "Records", "scan of one field, 100000 records", "LMDB cursor"),
        ("log, 100 appends and a sync: LMDB", "Records", "log: 100 appends and a sync, disk", "LMDB, sync"),
        ("log, append without sync: FileStream", "Records", "log: append of 100 B without sync, disk", "FileStream and a CRC loop"),
        ("sets, clustered, count: CRoaring", "Sets/IdSet count", "100 k × 100 k in 1 M, clustered", "CRoaring without runs"),
        ("sets, uniform, count: CRoaring", "Sets/IdSet count", "100 k × 100 k in 10 M, uniform", "CRoaring"),
        ("facets of 1 % of a million: int[]", "Sets/facet field", "100 values, even, one each, 1 %", "int[] by hand"),
        ("search in a page: SequenceCompareTo", "page search, hot", "orders/ padded, dependent", "SequenceCompareTo"),
        ("tree, a million random inserts: LMDB", "tree, insert 1 M",
            "orders/ padded, random, keys scattered in memory", "LMDB"),
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
        var bars = Cases.Where(c => ratios.ContainsKey((c.Group, c.Name, c.Peer)))
            .Select(c => (c.Label, Case: $"{c.Group}: {c.Name} | {c.Peer}", Ratio: ratios[(c.Group, c.Name, c.Peer)])).ToArray();
        StringBuilder svg = s_axis.Begin("times as fast as what you would otherwise use; left of 1: slower",
            $"{processor}; peer's time divided by ours, medians", bars.Length);
        for (int i = 0; i < bars.Length; i++)
        {
            (string label, string name, double ratio) = bars[i];
            double one = s_axis.X(1), x = s_axis.X(ratio), from = Math.Min(one, x), to = Math.Max(one, x);
            int y = Top + i * Step;
            svg.AppendLine($"""
                <text x="{s_axis.Left - 8}" y="{y + 11}" text-anchor="end">{label}</text>
                <rect class="{Color(ratio)}" x="{Text(from)}" y="{y}" width="{Text(to - from)}" height="{Bar}"><title>{name}</title></rect>
                <text x="{Text(to + 5)}" y="{y + 11}">{Figure(ratio)}</text>
                """);
        }
        return svg.AppendLine("</svg>").ToString();
    }
}
