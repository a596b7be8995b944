using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Two sorted arrays, met a block at a time. A vector of the first array meets eight ids of the second. Then the block that ends lower
/// moves on, or both if they end alike. The moves are additions and not branches, so random ids take no longer than regular ones. When a
/// side has no whole block left, <see cref="SortedSearch"/> does the rest, whose work is bounded by that short side. Unsorted input gives
/// a wrong answer but no access outside the arrays: positions only grow, and each turn moves at least one of them.
/// </summary>
internal static class SortedBlocks<T, TLanes>
    where T : unmanaged, IBinaryInteger<T>
    where TLanes : struct, ILanes<T>
{
    private const int Eight = 8;

    /// <summary>
    /// From this length of the shorter side on, the two halves take turns (Sets/IdSet count, 100 k × 100 k in 10 M, 655 ids a container).
    /// </summary>
    private const int FewestToHalve = 128;

    /// <summary>
    /// Counts the ids that are in both. It is fastest with the longer array first. A move waits for the comparison of the ends, so two
    /// halves take turns and fill each other's waits: 34 µs for 100 k × 100 k ids. One half after the other took twice that.
    /// </summary>
    [MethodImpl(Hot.Wide)]
    public static long Count(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow)
    {
        if (Math.Min(wide.Length, narrow.Length) < FewestToHalve) return CountOne(wide, narrow);
        int half = wide.Length / 2, cut = (int)SortedSearch.LowerBound(narrow, wide[half]);
        Meeting low = new(wide[..half], narrow[..cut]), high = new(wide[half..], narrow[cut..]);
        TLanes met = default;
        while (low.Goes && high.Goes)
        {
            low.Turn(ref met);
            high.Turn(ref met);
        }
        return met.Total + Count(low.RestOfWide, low.RestOfNarrow) + Count(high.RestOfWide, high.RestOfNarrow);
    }

    private static long CountOne(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow)
    {
        Meeting all = new(wide, narrow);
        TLanes met = default;
        while (all.Goes) all.Turn(ref met);
        return met.Total + SortedSearch.CountUneven(all.RestOfWide, all.RestOfNarrow);
    }

    /// <summary>
    /// Writes the ids of <paramref name="wide"/> that are in <paramref name="narrow"/> (And), or those that are not (AndNot). The
    /// destination takes all of <paramref name="wide"/>; for And, the length of the shorter array is enough.
    /// </summary>
    public static int Select<TOperation>(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        ref T a = ref MemoryMarshal.GetReference(wide);
        ref T b = ref MemoryMarshal.GetReference(narrow);
        ref T to = ref MemoryMarshal.GetReference(destination);
        nint i = 0, j = 0, written = 0, lastA = wide.Length - TLanes.Count, lastB = narrow.Length - Eight;
        nint lastTo = destination.Length - TLanes.Count;
        ulong all = ulong.MaxValue >> (64 - TLanes.Count), matched = 0;
        while (i <= lastA && j <= lastB && written <= lastTo)
        {
            ref T block = ref Unsafe.Add(ref a, i);
            matched |= TLanes.Matches(ref block, ref Unsafe.Add(ref b, j));
            T endA = Unsafe.Add(ref a, i + TLanes.Count - 1), endB = Unsafe.Add(ref b, j + Eight - 1);
            ulong done = 0 - (endA <= endB ? 1ul : 0) & all;
            i += (nint)(endA <= endB ? 1 : 0) * TLanes.Count;
            j += (nint)(endB <= endA ? 1 : 0) * Eight;
            // Ids are written when their block is left: until then, they may match further blocks of the other side.
            ulong keep = (TOperation.KeepsBoth ? matched : ~matched) & done;
            TLanes.Pack(ref block, keep, ref Unsafe.Add(ref to, written));
            written += BitOperations.PopCount(keep);
            matched &= ~done;
        }
        // The current block starts again. What it has met lies before j, so those ids are met once more.
        nint again = matched == 0 ? j : SortedSearch.LowerBound(narrow[..(int)j], Unsafe.Add(ref a, i));
        return (int)written + SortedSearch.SelectUneven<T, TOperation>(wide[(int)i..], narrow[(int)again..], destination[(int)written..]);
    }

    /// <summary>
    /// How far two arrays have been read. References take one register less each than an index into an array.
    /// </summary>
    private ref struct Meeting(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow)
    {
        private ref T _a = ref MemoryMarshal.GetReference(wide), _b = ref MemoryMarshal.GetReference(narrow);
        private readonly ref T _endA = ref Unsafe.Add(ref MemoryMarshal.GetReference(wide), wide.Length);
        private readonly ref T _endB = ref Unsafe.Add(ref MemoryMarshal.GetReference(narrow), narrow.Length);

        /// <summary>Whether both have a whole block left.</summary>
        public readonly bool Goes
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => !Unsafe.IsAddressGreaterThan(ref Unsafe.Add(ref _a, TLanes.Count), ref _endA)
                && !Unsafe.IsAddressGreaterThan(ref Unsafe.Add(ref _b, Eight), ref _endB);
        }

        public readonly ReadOnlySpan<T> RestOfWide => Rest(ref _a, ref _endA);

        public readonly ReadOnlySpan<T> RestOfNarrow => Rest(ref _b, ref _endB);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Turn(ref TLanes met)
        {
            met.Meet(ref _a, ref _b);
            T lastA = Unsafe.Add(ref _a, TLanes.Count - 1), lastB = Unsafe.Add(ref _b, Eight - 1);
            // The product with a power of two becomes a shift of the flag, two instructions less than a mask.
            _a = ref Unsafe.Add(ref _a, (nint)(lastA <= lastB ? 1 : 0) * TLanes.Count);
            _b = ref Unsafe.Add(ref _b, (nint)(lastB <= lastA ? 1 : 0) * Eight);
        }

        private static ReadOnlySpan<T> Rest(ref T from, ref T end) =>
            MemoryMarshal.CreateReadOnlySpan(ref from, (int)(Unsafe.ByteOffset(ref from, ref end) / Unsafe.SizeOf<T>()));
    }
}
