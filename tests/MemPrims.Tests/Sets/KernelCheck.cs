using System.Numerics;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

/// <summary>Runs every kernel for sorted arrays that this machine has, whatever their lengths would choose, against HashSet.</summary>
internal static class KernelCheck
{
    public static void Pair<T>(T[] a, T[] b) where T : unmanaged, IBinaryInteger<T>
    {
        HashSet<T> right = [.. b];
        T[] both = [.. a.Where(right.Contains)], only = [.. a.Where(id => !right.Contains(id))], either = [.. a.Union(b).Order()];
        Counts(both.Length, SortedKernels.Count<T>(a, b), SortedMerge.Count<T>(a, b), SortedSearch.CountUneven<T>(a, b));
        Is(both, Math.Min(a.Length, b.Length), to => SortedKernels.Intersect<T>(a, b, to));
        Is(both, Math.Min(a.Length, b.Length), to => SortedMerge.Select<T, AndIds>(a, b, to));
        Is(both, Math.Min(a.Length, b.Length), to => SortedSearch.SelectUneven<T, AndIds>(a, b, to));
        Is(only, a.Length, to => SortedKernels.Except<T>(a, b, to));
        Is(only, a.Length, to => SortedMerge.Select<T, AndNotIds>(a, b, to));
        Is(only, a.Length, to => SortedSearch.SelectUneven<T, AndNotIds>(a, b, to));
        Is(either, a.Length + b.Length, to => SortedKernels.Union<T>(a, b, to));
        Is(either, a.Length + b.Length, to => SortedMerge.Union<T>(a, b, to));
        Is(either, a.Length + b.Length, to => SortedSearch.UnionUneven<T>(a, b, to));
        Is([.. either.Except(both)], a.Length + b.Length, to => SortedMerge.Xor<T>(a, b, to));
        if (Hardware.Tier >= Tier.Vector512) Blocks<T, Lanes512<T>>(a, b, both, only);
        if (Hardware.Tier >= Tier.Vector256) Blocks<T, Lanes256<T>>(a, b, both, only);
        if (Hardware.Tier >= Tier.Vector256) Counts(both.Length, CountedBlocks<T, Lanes256<T>>.Count(a, b));
        if (Hardware.Tier >= Tier.Vector128) Blocks<T, Lanes128<T>>(a, b, both, only);
        if (Hardware.Tier >= Tier.Vector128) Counts(both.Length, CountedBlocks<T, Lanes128<T>>.Count(a, b));
    }

    private static void Blocks<T, TLanes>(T[] a, T[] b, T[] both, T[] only)
        where T : unmanaged, IBinaryInteger<T>
        where TLanes : struct, ILanes<T>
    {
        Is(both, Math.Min(a.Length, b.Length), to => SortedBlocks<T, TLanes>.Select<AndIds>(a, b, to));
        Is(only, a.Length, to => SortedBlocks<T, TLanes>.Select<AndNotIds>(a, b, to));
    }

    private static void Counts(long expected, params long[] counts) => Assert.All(counts, count => Assert.Equal(expected, count));

    private static void Is<T>(T[] expected, int room, Func<T[], int> run)
    {
        T[] to = new T[room];
        int written = run(to);
        if (!expected.AsSpan().SequenceEqual(to.AsSpan(0, written))) Assert.Equal(expected, to[..written]);
    }
}
