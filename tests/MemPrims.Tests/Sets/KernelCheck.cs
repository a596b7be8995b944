using System.Numerics;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Runs every kernel for sorted arrays that this machine has, whatever their lengths would choose, against HashSet.
internal static class KernelCheck
{
    public static void Pair<T>(T[] a, T[] b) where T : unmanaged, IBinaryInteger<T>
    {
        HashSet<T> right = [.. b];
        T[] both = [.. a.Where(right.Contains)], only = [.. a.Where(id => !right.Contains(id))], either = [.. a.Union(b).Order()];
        Counts(both.Length, SortedKernels.Count<T>(a, b), SortedSearch.CountUneven<T>(a, b));
        if (Vector.IsHardwareAccelerated) Counts(both.Length, SortedBlocks<T>.Count(a, b));
        Kept<T, AndIds>(a, b, both, Math.Min(a.Length, b.Length));
        Kept<T, AndNotIds>(a, b, only, a.Length);
        Is(either, a.Length + b.Length, to => SortedKernels.Combine<T, OrIds>(a, b, to));
        Is(either, a.Length + b.Length, to => SortedMerge.Write<T, OrIds>(a, b, to));
        if (SortedUnion<T>.Takes(Math.Min(a.Length, b.Length)))
        {
            Is(either, a.Length + b.Length, to => SortedUnion<T>.Write(a, b, to));
            Is(either, a.Length + b.Length, to => SortedUnion<T>.Write(b, a, to));
        }
        Is(either, a.Length + b.Length, to => SortedSearch.Splice<T, OrIds>(a, b, to));
        T[] one = [.. either.Except(both)];
        Is(one, a.Length + b.Length, to => SortedKernels.Combine<T, XorIds>(a, b, to));
        Is(one, a.Length + b.Length, to => SortedMerge.Write<T, XorIds>(a, b, to));
        Is(one, a.Length + b.Length, to => SortedSearch.Splice<T, XorIds>(a, b, to));
        Is(only, a.Length, to => SortedSearch.Splice<T, AndNotIds>(a, b, to));
    }

    // Which of the ids of a container are there.
    public static bool[] Bits(ushort[] ids)
    {
        bool[] bits = new bool[65536];
        foreach (ushort id in ids) bits[id] = true;
        return bits;
    }

    public static bool[] Bits(Run[] runs)
    {
        bool[] bits = new bool[65536];
        foreach (Run run in runs) bits.AsSpan(run.Start, run.LengthMinusOne + 1).Fill(true);
        return bits;
    }

    private static void Kept<T, TOperation>(T[] a, T[] b, T[] expected, int room)
        where T : unmanaged, IBinaryInteger<T>
        where TOperation : struct, IIdOperation
    {
        Is(expected, room, to => SortedKernels.Combine<T, TOperation>(a, b, to));
        Is(expected, room, to => SortedSearch.SelectUneven<T, TOperation>(a, b, to));
        if (!Vector.IsHardwareAccelerated) return;
        Is(expected, room, to => SortedBlocks<T>.Select<TOperation>(a, b, to));
        // With more room, the halves take turns.
        Is(expected, a.Length + SortedBlocks<T>.Slack, to => SortedBlocks<T>.Select<TOperation>(a, b, to));
    }

    private static void Counts(long expected, params long[] counts) => Assert.All(counts, count => Assert.Equal(expected, count));

    private static void Is<T>(T[] expected, int room, Func<T[], int> run)
    {
        T[] to = new T[room];
        int written = run(to);
        if (!expected.AsSpan().SequenceEqual(to.AsSpan(0, written))) Assert.Equal(expected, to[..written]);
    }
}
