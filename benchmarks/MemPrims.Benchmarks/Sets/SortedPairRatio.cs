using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Two sorted lists of one size, joined or with the ids written that are in both: ids of 32 and of 64 bits, drawn anew for every batch.
/// The peers go on an id at a time and have no branch on the ids.
/// <para>
/// Union by masks in two parts, which is what runs without AVX2, on Zen 3: 64 ids 0.89 and 0.88, 256 1.07 and 1.06, 4,096 1.24 and 1.20
/// times the peer. The network of 256 bits with a vector that is reversed every turn: 1.50 and 1.09, 2.05 and 1.25, 2.36 and 1.34; with
/// two parts that take turns as well: 0.89 and 0.81, 1.69 and 1.15, 2.71 and 1.40. Ids of both, packed one by one: 3.9 and 2.8 ns an id at
/// 10,000, by a table 2.1 and 2.3; the table of 16 bits for ids of 64 bits 4.0. On Zen 5, ids of 64 bits with AVX-512's minimum 1.51,
/// 1.70 and 1.87 times the peer, without it 0.84, 0.85 and 0.89. A network of 512 bits: 1.85 and 1.59, 2.87 and 1.92, 3.51 and 2.16, for
/// a hundred lines more. Few ids among many, each galloped to from the one before: 0.51 and 0.51 (1 : 64), 0.42 and 0.34 (1 : 256).
/// </para>
/// </summary>
internal sealed class SortedPairRatio : IRatioCases
{
    private const int Ids = 32_768;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int size in (int[])[64, 256, 1024, 4096])
        {
            string pair = $"{size} × {size}";
            yield return Case<uint>("union", $"{pair}, 32 bits", size, (a, b, to) => SortedIds.Union(a, b, to), Join);
            yield return Case<ulong>("union", $"{pair}, 64 bits", size, (a, b, to) => SortedIds.Union(a, b, to), Join);
            yield return Case<uint>("intersection", $"{pair}, 32 bits", size, (a, b, to) => SortedIds.Intersect(a, b, to), Meet);
            yield return Case<ulong>("intersection", $"{pair}, 64 bits", size, (a, b, to) => SortedIds.Intersect(a, b, to), Meet);
        }
        foreach (int ratio in (int[])[16, 64, 256])
        {
            yield return Uneven<uint>($"1 : {ratio}, 32 bits", ratio, (a, b, to) => SortedIds.Intersect(a, b, to));
            yield return Uneven<ulong>($"1 : {ratio}, 64 bits", ratio, (a, b, to) => SortedIds.Intersect(a, b, to));
        }
    }

    // Half of the few ids are among the many.
    private static RatioCase Uneven<T>(string name, int ratio, Func<T[], T[], T[], int> ours)
        where T : unmanaged, IBinaryInteger<T> => new("Sets/SortedIds uneven intersection", name, () =>
    {
        const int pairs = 16, few = 256;
        Random random = new();
        T[][] a = new T[pairs][], b = new T[pairs][];
        T[] to = new T[few];
        Redraw();
        return new(pairs, new("SortedIds", () => Each(ours)), new Contender("vectors passed over", () => Each(MeetFew), 1))
        {
            Redraw = Redraw,
        };

        void Redraw()
        {
            for (int i = 0; i < pairs; i++)
            {
                T id = T.Zero;
                b[i] = new T[few * ratio];
                foreach (ref T each in b[i].AsSpan()) each = id += T.CreateTruncating(random.Next(1, 8));
                HashSet<T> drawn = [];
                while (drawn.Count < few)
                {
                    T one = b[i][random.Next(b[i].Length)];
                    drawn.Add(random.Next(2) == 0 ? one : one + T.One);
                }
                a[i] = [.. drawn.Order()];
            }
        }

        long Each(Func<T[], T[], T[], int> meet)
        {
            long count = 0;
            for (int i = 0; i < pairs; i++) count += meet(a[i], b[i], to);
            return count;
        }
    });

    // As engines write it: whole vectors of the many are passed over while their last id is below the next one of the few.
    private static int MeetFew<T>(T[] few, T[] many, T[] to) where T : unmanaged, IBinaryInteger<T>
    {
        int at = 0, count = 0, last = many.Length - Vector256<T>.Count;
        ref T first = ref MemoryMarshal.GetArrayDataReference(many);
        foreach (T id in few)
        {
            while (at < last && Unsafe.Add(ref first, at + Vector256<T>.Count - 1) < id) at += Vector256<T>.Count;
            at = Math.Min(at, last);
            if (Vector256.EqualsAny(Vector256.LoadUnsafe(ref first, (nuint)at), Vector256.Create(id))) to[count++] = id;
        }
        return count;
    }

    private static RatioCase Case<T>(string group, string name, int size, Func<T[], T[], T[], int> ours, Func<T[], T[], T[], int> peer)
        where T : unmanaged, IBinaryInteger<T> => new($"Sets/SortedIds {group}", name, () =>
    {
        Random random = new();
        T[][] a = new T[Ids / size][], b = new T[Ids / size][];
        T[] to = new T[2 * size];
        Redraw();
        return new(a.Length, new("SortedIds", () => Each(ours)), new Contender("merge by a mask", () => Each(peer), 1.3))
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

    private static int Join<T>(T[] a, T[] b, T[] to) where T : unmanaged, IBinaryInteger<T>
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

    private static int Meet<T>(T[] a, T[] b, T[] to) where T : unmanaged, IBinaryInteger<T>
    {
        int i = 0, j = 0, count = 0;
        while (i < a.Length && j < b.Length)
        {
            T x = a[i], y = b[j];
            int takesX = x <= y ? 1 : 0, takesY = y <= x ? 1 : 0;
            to[count] = x;
            count += takesX & takesY;
            i += takesX;
            j += takesY;
        }
        return count;
    }
}
