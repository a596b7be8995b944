using System.Numerics;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Two sorted lists of one size joined: ids of 32 and of 64 bits, drawn anew for every batch. The peer merges an id at a time and has no
/// branch on the ids. A merge in one part, of which the JIT makes branches, has half of its speed; by masks and in two parts 1.1 to 1.8.
/// </summary>
internal sealed class UnionRatio : IRatioCases
{
    private const int Ids = 32_768;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int size in (int[])[64, 256, 1024, 4096])
        {
            yield return Case<uint>($"{size} × {size}, 32 bits", size, (a, b, to) => SortedIds.Union(a, b, to));
            yield return Case<ulong>($"{size} × {size}, 64 bits", size, (a, b, to) => SortedIds.Union(a, b, to));
        }
    }

    private static RatioCase Case<T>(string name, int size, Func<T[], T[], T[], int> union)
        where T : unmanaged, IBinaryInteger<T> => new("Sets/SortedIds union", name, () =>
    {
        Random random = new();
        T[][] a = new T[Ids / size][], b = new T[Ids / size][];
        T[] to = new T[2 * size];
        Redraw();
        return new(a.Length, new("SortedIds.Union", () => Each(union)), new Contender("merge by a mask", () => Each(ByMask), 1.3))
        {
            Redraw = Redraw,
        };

        void Redraw()
        {
            for (int i = 0; i < a.Length; i++) (a[i], b[i]) = (Draw(), Draw());
        }

        T[] Draw()
        {
            T[] ids = new T[size];
            T id = T.Zero;
            foreach (ref T each in ids.AsSpan()) each = id += T.CreateTruncating(random.Next(1, 8));
            return ids;
        }

        long Each(Func<T[], T[], T[], int> join)
        {
            long count = 0;
            for (int i = 0; i < a.Length; i++) count += join(a[i], b[i], to);
            return count;
        }
    });

    private static int ByMask<T>(T[] a, T[] b, T[] to) where T : unmanaged, IBinaryInteger<T>
    {
        int i = 0, j = 0, count = 0;
        while (i < a.Length && j < b.Length)
        {
            T x = a[i], y = b[j];
            int takesX = x <= y ? 1 : 0, takesY = y <= x ? 1 : 0;
            to[count++] = x ^ (x ^ y) & T.CreateTruncating(-takesY);
            i += takesX;
            j += takesY;
        }
        while (i < a.Length) to[count++] = a[i++];
        while (j < b.Length) to[count++] = b[j++];
        return count;
    }
}
