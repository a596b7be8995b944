using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Two sorted arrays, met a block at a time: each of a vector of the first against each of eight of the second, then the block that ends lower
/// moves on (both, when they end alike). The moves are additions, not branches, so random ids cost what regular ones do.
/// What is left when either side has no whole block goes to <see cref="SortedSearch"/>, whose work is bounded by that short side.
/// Unsorted input gives a wrong answer but no access outside the arrays: positions only grow, and each turn moves one of them.
/// </summary>
internal static class SortedBlocks<T, TLanes>
    where T : unmanaged, IBinaryInteger<T>
    where TLanes : struct, ILanes<T>
{
    private const int Eight = 8;

    /// <summary>From this length of the shorter side on, its halves are met side by side: Sets/IdSet count 100 k × 100 k in 10 M, 655 ids a container.</summary>
    private const int FewestToHalve = 128;

    /// <summary>
    /// Counts what is in both. Fastest with the longer array first. A move waits for the comparison of the ends before it, so two halves are met in turn,
    /// one filling the other's wait: 36 µs for 100 k × 100 k, 80 one after the other (and 26 once the branches of a branching loop are known by heart).
    /// </summary>
    public static long Count(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow)
    {
        if (Math.Min(wide.Length, narrow.Length) < FewestToHalve) return CountOne(wide, narrow);
        int half = wide.Length / 2, cut = (int)SortedSearch.LowerBound(narrow, wide[half]);
        ref T a = ref MemoryMarshal.GetReference(wide);
        ref T b = ref MemoryMarshal.GetReference(narrow);
        nint i = 0, j = 0, lastI = half - TLanes.Count, lastJ = cut - Eight;
        nint k = half, l = cut, lastK = wide.Length - TLanes.Count, lastL = narrow.Length - Eight;
        long count = 0;
        while (i <= lastI && j <= lastJ && k <= lastK && l <= lastL)
        {
            count += Meet(ref a, ref b, ref i, ref j);
            count += Meet(ref a, ref b, ref k, ref l);
        }
        return count + CountOne(wide[(int)i..half], narrow[(int)j..cut]) + CountOne(wide[(int)k..], narrow[(int)l..]);
    }

    private static long CountOne(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow)
    {
        ref T a = ref MemoryMarshal.GetReference(wide);
        ref T b = ref MemoryMarshal.GetReference(narrow);
        nint i = 0, j = 0, lastI = wide.Length - TLanes.Count, lastJ = narrow.Length - Eight;
        long count = 0;
        while (i <= lastI && j <= lastJ) count += Meet(ref a, ref b, ref i, ref j);
        return count + SortedSearch.CountUneven(wide[(int)i..], narrow[(int)j..]);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Meet(ref T a, ref T b, ref nint i, ref nint j)
    {
        int count = BitOperations.PopCount(TLanes.Matches(ref Unsafe.Add(ref a, i), ref Unsafe.Add(ref b, j)));
        T endA = Unsafe.Add(ref a, i + TLanes.Count - 1), endB = Unsafe.Add(ref b, j + Eight - 1);
        // A product with a constant power of two is a shift of the flag, two instructions less than a mask.
        i += (nint)(endA <= endB ? 1 : 0) * TLanes.Count;
        j += (nint)(endB <= endA ? 1 : 0) * Eight;
        return count;
    }

    /// <summary>
    /// Writes the ids of <paramref name="wide"/> that are in <paramref name="narrow"/>, or that are not, as <typeparamref name="TKeep"/> says.
    /// The destination takes all of <paramref name="wide"/>, or for those in both all of either.
    /// </summary>
    public static int Select<TKeep>(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow, Span<T> destination) where TKeep : struct, IKeep
    {
        ref T a = ref MemoryMarshal.GetReference(wide);
        ref T b = ref MemoryMarshal.GetReference(narrow);
        ref T to = ref MemoryMarshal.GetReference(destination);
        nint i = 0, j = 0, written = 0, lastA = wide.Length - TLanes.Count, lastB = narrow.Length - Eight, lastTo = destination.Length - TLanes.Count;
        ulong all = ulong.MaxValue >> (64 - TLanes.Count), matched = 0;
        while (i <= lastA && j <= lastB && written <= lastTo)
        {
            ref T block = ref Unsafe.Add(ref a, i);
            matched |= TLanes.Matches(ref block, ref Unsafe.Add(ref b, j));
            T endA = Unsafe.Add(ref a, i + TLanes.Count - 1), endB = Unsafe.Add(ref b, j + Eight - 1);
            ulong done = 0 - (endA <= endB ? 1ul : 0) & all;
            i += (nint)(endA <= endB ? 1 : 0) * TLanes.Count;
            j += (nint)(endB <= endA ? 1 : 0) * Eight;
            // A block's ids are written when it is left: its lanes may match several blocks of the other side.
            ulong keep = (TKeep.Matched ? matched : ~matched) & done;
            TLanes.Pack(ref block, keep, ref Unsafe.Add(ref to, written));
            written += BitOperations.PopCount(keep);
            matched &= ~done;
        }
        // The block under way starts again: what it matched so far lies before j, so those eights are met once more.
        nint again = matched == 0 ? j : SortedSearch.LowerBound(narrow[..(int)j], Unsafe.Add(ref a, i));
        return (int)written + SortedSearch.SelectUneven<T, TKeep>(wide[(int)i..], narrow[(int)again..], destination[(int)written..]);
    }
}

/// <summary>Which ids of the first array a selection keeps.</summary>
internal interface IKeep
{
    /// <summary>Those in the second array, or those not in it.</summary>
    static abstract bool Matched { get; }
}

internal readonly struct KeepMatched : IKeep
{
    public static bool Matched => true;
}

internal readonly struct KeepUnmatched : IKeep
{
    public static bool Matched => false;
}
