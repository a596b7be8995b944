using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Compare;

/// <summary>Binary searches: what a storage engine asks order for. Keys are pages' (pointers) in "search", spans in "search, spans".</summary>
internal sealed class SearchCases : IRatioCases
{
    private static readonly int[] s_sizes = [100, 1_000, 20_000, 500_000];

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int keys in s_sizes)
            foreach (KeyShape shape in KeyShapes.All)
            {
                double bcl = keys > 100_000 ? 1 : Asked(shape);
                yield return Search<BlockSpanOrder>("search", shape, keys, bcl, 0.9 * bcl);
                yield return Search<BlockKeyOrder>("search, pointers", shape, keys, 0, 0.9 * bcl);
            }
    }

    private static RatioCase Search<TOrder>(string group, KeyShape shape, int keys, double bcl, double libc) where TOrder : struct, IKeyOrder =>
        new(group, $"{KeyShapes.Name(shape)}, {keys:N0} keys", () =>
        {
            KeySearch search = new(shape, keys);
            return new(search.Count, new("Block", search.Run<TOrder>),
                new("SequenceCompareTo", search.Run<BclKeyOrder>, bcl), new Contender("memcmp", search.Run<LibcKeyOrder>, libc)) { Redraw = search.Redraw, Close = search.Dispose };
        });

    private static double Asked(KeyShape shape) => shape switch
    {
        KeyShape.Random8To60 or KeyShape.Orders => 1.25,
        KeyShape.Random16 => 1.2,
        KeyShape.Random8 or KeyShape.Words => 1.15,
        _ => 1.1,
    };
}

/// <summary>memcmp over the length of the shorter, then by length. The shorter is found without a branch: random lengths would mispredict it.</summary>
internal readonly unsafe struct LibcKeyOrder : IKeyOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* query, int queryLength, byte* key, int keyLength)
    {
        int order = LibcPeer.Compare(query, key, BlockKeyOrder.Shorter(queryLength, keyLength));
        return order != 0 ? order : queryLength - keyLength;
    }
}
