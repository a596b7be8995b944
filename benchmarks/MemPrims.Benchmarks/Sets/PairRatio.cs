using MemPrims.Benchmarks.Ratio;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Every pair of kinds of containers, counted and made a new set of, against CRoaring's newest release (<see cref="CRoaring"/> says how
/// to get it). A set has 16 containers of one kind. A case has 256 different pairs, so that no branch is learned by heart. CRoaring's
/// results are freed, as its users must, and ours are cleared. "Sets/uncleared pairs" leaves ours to the garbage collector.
/// What lost, on AVX-512 unless told, in µs a pair of sets:
/// Ids to bits by changing a byte for each: 3000 × 3000 Or 102; with words kept in a register 89.
/// 30 ids into 1000 runs through all edges: 89; spliced 34.
/// 3000 ids without 3000 others by meeting 32 with 8: 87; merged in two parts 37.
/// 3000 And 3000 on AVX2, merged 8 ids a turn: 0.31 of CRoaring's speed; met 16 with 8 in two halves 0.72.
/// Edges merged with Math.Min, which became a branch: 20 × 20 runs on AVX2 9.3.
/// One image for results of bitmaps: SetWriter has the figures.
/// </summary>
public sealed class PairRatio : IRatioCases
{
    // Ids or runs per container; a bitmap has 20,000 ids.
    private static readonly (string A, string B)[] s_pairs =
    [
        ("array 30", "array 30"), ("array 30", "array 3000"), ("array 3000", "array 3000"), ("array 30", "bitmap"),
        ("array 3000", "bitmap"), ("array 30", "runs 20"), ("array 30", "runs 1000"), ("array 3000", "runs 20"),
        ("array 3000", "runs 1000"), ("bitmap", "bitmap"),
        ("bitmap", "runs 20"), ("bitmap", "runs 1000"), ("runs 20", "runs 20"), ("runs 20", "runs 1000"), ("runs 1000", "runs 1000"),
    ];

    private static readonly string[] s_operations = ["And", "Or", "Xor", "AndNot"];

    private static PairWork? s_work;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((string a, string b) in s_pairs)
        {
            yield return Case(a, b, "count", work => work.Count, work => work.CountByCRoaring);
            foreach (string operation in s_operations) yield return Making(a, b, operation);
            if (a != b) yield return Making(b, a, "AndNot");
        }
        foreach ((string a, string b) in s_pairs.Where(pair => pair.A == "bitmap" || pair.B == "bitmap"))
            foreach (string operation in s_operations) yield return Making(a, b, operation, clears: false);
    }

    private static RatioCase Making(string a, string b, string operation, bool clears = true)
    {
        Func<IdSet, IdSet, IdSet> make = operation switch
        {
            "And" => static (x, y) => x.And(y),
            "Or" => static (x, y) => x.Or(y),
            "Xor" => static (x, y) => x.Xor(y),
            _ => static (x, y) => x.AndNot(y),
        };
        return Case(a, b, operation, work => work.Make(make, clears), work => work.MakeByCRoaring(operation),
            clears ? "Sets/pairs" : "Sets/uncleared pairs");
    }

    private static RatioCase Case(string a, string b, string operation, Func<PairWork, Func<long>> ours, Func<PairWork,
        Func<long>> theirs, string group = "Sets/pairs") =>
        new(group, $"{a} × {b}, {operation}", () =>
        {
            // The five operations on a pair of kinds share their sets.
            PairWork work = s_work is { } last && last.Kinds == (a, b) ? last : s_work = new(a, b);
            return new(work.Counts, new("IdSet", ours(work)), CRoaring.IsAvailable ? [new("CRoaring", theirs(work), 1)] : []);
        });
}
