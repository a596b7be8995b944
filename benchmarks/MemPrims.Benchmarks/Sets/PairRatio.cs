using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Every pair of kinds of containers, counted and made a new set of, against CRoaring's newest release (<see cref="CRoaring"/> says how
/// to get it). A set has 16 containers of one kind. A case has 256 different pairs, so that no branch is learned by heart; CRoaring's
/// results are freed, as its users must. What lost, on AVX-512 unless told, in µs a pair of sets. Ids to bits by changing a byte for
/// each: 3000 × 3000 Or 102; with words kept in a register 89. 30 ids into 1000 runs through all edges: 89; spliced 34. 3000 ids without
/// 3000 others by meeting 32 with 8: 87; merged in two parts 37. And of the two on AVX2, merged 8 ids a turn: 0.31 of CRoaring's speed;
/// met 16 with 8 in two halves 0.72. Edges merged with Math.Min, which became a branch: 20 × 20 runs on AVX2 9.3. One image for results
/// of bitmaps: SetWriter has the figures.
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

    private static PairWork? s_work;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((string a, string b) in s_pairs)
        {
            yield return Case(a, b, "count", work => work.Count, work => work.CountByCRoaring);
            yield return Case(a, b, "And", work => () => work.Make((x, y) => x.And(y)), work => work.MakeByCRoaring("And"));
            yield return Case(a, b, "Or", work => () => work.Make((x, y) => x.Or(y)), work => work.MakeByCRoaring("Or"));
            yield return Case(a, b, "Xor", work => () => work.Make((x, y) => x.Xor(y)), work => work.MakeByCRoaring("Xor"));
            yield return Case(a, b, "AndNot", work => () => work.Make((x, y) => x.AndNot(y)), work => work.MakeByCRoaring("AndNot"));
            if (a != b) yield return Case(b, a, "AndNot", work => () => work.Make((x, y) => x.AndNot(y)),
                work => work.MakeByCRoaring("AndNot"));
        }
    }

    private static RatioCase Case(string a, string b, string operation, Func<PairWork, Func<long>> ours, Func<PairWork,
        Func<long>> theirs) =>
        new("Sets/pairs", $"{a} × {b}, {operation}", () =>
        {
            // The five operations on a pair of kinds share their sets.
            PairWork work = s_work is { } last && last.Kinds == (a, b) ? last : s_work = new(a, b);
            return new(work.Counts, new("IdSet", ours(work)), CRoaring.IsAvailable ? [new("CRoaring", theirs(work), 1)] : []);
        });
}
