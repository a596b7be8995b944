using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Compare;

/// <summary>
/// Binary searches: what a storage engine asks order for. Keys are spans in "search", pointers in "search, pointers". The designs on Zen
/// 5, as ratios to SequenceCompareTo (searches over 1,000 keys, spans unless said; equal blocks of random length; higher is better). The
/// last one stayed. The rows come from three runs whose clocks differed: read them as a ranking.
///
///                                            8–60   16    8     words  orders/  30 shared   0–64 equal
///   masked windows, exact difference         0.93   1.05  1.01  0.93   0.99     1.06        5.5
///   words of 8, pointers                     1.05   1.26  1.07  1.01   1.16     1.12        1.1
///   words at clamped offsets, pointers       1.09   1.27  1.12  1.00   1.15     1.04        2.3
///   one word, then windows, pointers         1.00   1.21  1.04  1.00   0.89     0.78        2.2
///   words masked to the length, pinned       1.19   1.08  0.96  1.13   0.96     0.83        2.2
///   first 8 in line, windows, words          1.50   1.37  1.16  1.17   1.12     0.96        2.0
///   first 4 in line, windows, words          1.50   1.37  1.18  1.31   1.14     0.95        2.0
///   first 4 in line, last 8, windows, words  1.51   1.36  1.17  1.25   1.13     1.14        2.2
/// </summary>
internal sealed class SearchCases : IRatioCases
{
    private static readonly int[] s_sizes = [100, 1_000, 20_000, 500_000];

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int keys in s_sizes)
            foreach (KeyShape shape in KeyShapes.All)
            {
                double bcl = keys > 100_000 ? 1 : AtLeast(shape);
                yield return Search<BlockSpanOrder>("search", shape, keys, bcl, 0.9 * bcl);
                yield return Search<BlockKeyOrder>("search, pointers", shape, keys, 0, 0.9 * bcl);
            }
    }

    private static RatioCase Search<TOrder>(string group, KeyShape shape, int keys, double bcl, double libc)
        where TOrder : struct, IKeyOrder =>
        new(group, $"{KeyShapes.Name(shape)}, {keys:N0} keys", () =>
        {
            KeySearchWork search = new(shape, keys);
            return new(search.Count, new("Block", search.Run<TOrder>),
                new("SequenceCompareTo", search.Run<BclKeyOrder>, bcl), new("in line", search.Run<InLineKeyOrder>, 1),
                new Contender("memcmp", search.Run<LibcKeyOrder>, libc))
            { Redraw = search.Redraw, Close = search.Dispose };
        });

    private static double AtLeast(KeyShape shape) => shape switch
    {
        KeyShape.Random8To60 or KeyShape.Orders => 1.25,
        KeyShape.Random16 => 1.2,
        KeyShape.Random8 or KeyShape.Words => 1.15,
        _ => 1.1,
    };
}

/// <summary>The loop that engines write where they search: see <see cref="CompareInLine"/>.</summary>
internal readonly unsafe struct InLineKeyOrder : IKeyOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* query, int queryLength, byte* key, int keyLength)
    {
        int order = (int)CompareInLine.Run(query, key, BlockKeyOrder.Shorter(queryLength, keyLength));
        return order != 0 ? order : queryLength - keyLength;
    }
}

/// <summary>memcmp over the length of the shorter, then by length. The shorter is found without a branch: random lengths would mispredict
/// it.</summary>
internal readonly unsafe struct LibcKeyOrder : IKeyOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* query, int queryLength, byte* key, int keyLength)
    {
        int order = LibcPeer.Compare(query, key, BlockKeyOrder.Shorter(queryLength, keyLength));
        return order != 0 ? order : queryLength - keyLength;
    }
}
