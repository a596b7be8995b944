using System.Numerics;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>Ids in any order, sorted and without doubles. The peer is Array.Sort and a loop that drops doubles.</summary>
public sealed class SortRatio : IRatioCases
{
    private const int Ids = 1 << 17;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int count in (int[])[100, 1_000, 30_000, 1_000_000])
        {
            yield return Of<uint>(count, "32 bits", random => (uint)random.NextInt64(1L << 32), SortedIds.Sort);
            yield return Of<ulong>(count, "64 bits", random => (ulong)random.NextInt64(), SortedIds.Sort);
        }
    }

    private delegate int Sorting<T>(Span<T> ids);

    private static RatioCase Of<T>(int count, string bits, Func<Random, T> draw, Sorting<T> sort) where T : unmanaged, INumber<T> =>
        new("sort ids", $"{count:N0} of {bits}", () =>
        {
            int arrays = Math.Max(1, Ids / count);
            T[] drawn = new T[count * arrays], ids = new T[count * arrays];
            Random random = new();
            return new(count * arrays, new("SortedIds.Sort", () => Each(sort)),
                new Contender("Array.Sort, then a loop", () => Each(SortAndDrop), count >= 1_000 ? 2 : 0))
            {
                Redraw = () =>
                {
                    for (int i = 0; i < drawn.Length; i++) drawn[i] = draw(random);
                },
            };

            long Each(Sorting<T> way)
            {
                drawn.CopyTo(ids, 0);
                long sum = 0;
                for (int i = 0; i < arrays; i++) sum += way(ids.AsSpan(i * count, count));
                return sum;
            }
        });

    private static int SortAndDrop<T>(Span<T> ids) where T : unmanaged, INumber<T>
    {
        ids.Sort();
        int kept = 0;
        for (int i = 0; i < ids.Length; i++)
            if (i == 0 || ids[i] != ids[kept - 1]) ids[kept++] = ids[i];
        return kept;
    }
}
