using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Chooses how two sorted arrays meet. If one is much shorter, its ids are searched (<see cref="SortedSearch"/>). Else the arrays meet a
/// block at a time (<see cref="CountedBlocks{T, TLanes}"/>), or, without vectors, an id at a time (<see cref="SortedMerge"/>).
/// </summary>
internal static class SortedKernels
{
    /// <summary>
    /// From this ratio of lengths on, a search for each id of the shorter side is faster than blocks (Sets/uneven, 1 k × 16 k
    /// to 1 k × 64 k).
    /// </summary>
    private const int UnevenForBlocks = 48;

    /// <summary>
    /// The same, compared with the merge an id at a time.
    /// </summary>
    private const int UnevenForMerge = 8;

    private static bool Blocks => Hardware.Tier != Tier.Scalar;

    public static long Count<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b) where T : unmanaged, IBinaryInteger<T>
    {
        if (a.Length < b.Length)
        {
            ReadOnlySpan<T> shorter = a;
            a = b;
            b = shorter;
        }
        if (IsUneven(b.Length, a.Length)) return SortedSearch.CountUneven(a, b);
        return Hardware.Tier switch
        {
            // With 512 bits a turn takes twice as long on Zen 4, and there are not half as many (Sets/SortedIds count).
            Tier.Vector512 or Tier.Vector256 => CountedBlocks<T, Lanes256<T>>.Count(a, b),
            Tier.Vector128 => CountedBlocks<T, Lanes128<T>>.Count(a, b),
            _ => SortedMerge.Count(a, b),
        };
    }

    /// <summary>And, Or or AndNot of both. The destination takes the largest possible result.</summary>
    public static int Combine<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
        where TOperation : struct, IIdOperation =>
        TOperation.KeepsRight ? Union(a, b, destination) : TOperation.KeepsLeft ? Except(a, b, destination) : Intersect(a, b, destination);

    /// <summary>The destination takes the shorter of both.</summary>
    public static int Intersect<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination) where T : unmanaged, IBinaryInteger<T> =>
        a.Length < b.Length ? Select<T, AndIds>(b, a, destination) : Select<T, AndIds>(a, b, destination);

    /// <summary>The destination takes all of <paramref name="a"/>.</summary>
    public static int Except<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination) where T : unmanaged, IBinaryInteger<T> =>
        Select<T, AndNotIds>(a, b, destination);

    /// <summary>The destination takes both, one after the other.</summary>
    public static int Union<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination) where T : unmanaged, IBinaryInteger<T>
    {
        if (a.Length > b.Length)
        {
            ReadOnlySpan<T> longer = a;
            a = b;
            b = longer;
        }
        return (long)a.Length * UnevenForMerge <= b.Length ? SortedSearch.UnionUneven(a, b, destination)
            : SortedMerge.Union(a, b, destination);
    }

    /// <summary>The first position whose id is not above the one before it; the length when there is none.</summary>
    public static int FirstDisorder<T>(ReadOnlySpan<T> ids) where T : unmanaged, IBinaryInteger<T>
    {
        ref T first = ref MemoryMarshal.GetReference(ids);
        int at = 0, last = Vector.IsHardwareAccelerated ? ids.Length - Vector<T>.Count : 0;
        while (at < last && Vector.LessThanAll(Vector.LoadUnsafe(ref first, (nuint)at), Vector.LoadUnsafe(ref first, (nuint)at + 1)))
            at += Vector<T>.Count;
        for (at++; at < ids.Length && ids[at - 1] < ids[at];) at++;
        return Math.Min(at, ids.Length);
    }

    private static int Select<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
        where TOperation : struct, IIdOperation
    {
        if (IsUneven(Math.Min(a.Length, b.Length), Math.Max(a.Length, b.Length)))
            return SortedSearch.SelectUneven<T, TOperation>(a, b, destination);
        return Hardware.Tier switch
        {
            Tier.Vector512 => SortedBlocks<T, Lanes512<T>>.Select<TOperation>(a, b, destination),
            Tier.Vector256 => SortedBlocks<T, Lanes256<T>>.Select<TOperation>(a, b, destination),
            Tier.Vector128 => SortedBlocks<T, Lanes128<T>>.Select<TOperation>(a, b, destination),
            _ => SortedMerge.Select<T, TOperation>(a, b, destination),
        };
    }

    public static bool IsUneven(int shorter, int longer) => (long)shorter * (Blocks ? UnevenForBlocks : UnevenForMerge) <= longer;
}

/// <summary>
/// Two sorted arrays, merged an id at a time, without a branch that depends on the ids. The scalar tier counts and selects by it. Union
/// and exclusive-or, which have no block form, use it on every tier. Each turn moves at least one side, and nothing is written past the
/// destination.
/// </summary>
internal static class SortedMerge
{
    /// <summary>Counts what is in both.</summary>
    public static long Count<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b) where T : unmanaged, IBinaryInteger<T>
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        nint i = 0, j = 0;
        long count = 0;
        while (i < a.Length && j < b.Length)
        {
            T x = Unsafe.Add(ref first, i), y = Unsafe.Add(ref second, j);
            count += x == y ? 1 : 0;
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
        }
        return count;
    }

    /// <summary>Writes the ids of <paramref name="a"/> that are in <paramref name="b"/>, or that are not.</summary>
    public static int Select<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
        where TOperation : struct, IIdOperation
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        ref T to = ref MemoryMarshal.GetReference(destination);
        nint i = 0, j = 0, written = 0;
        while (i < a.Length && j < b.Length && written < destination.Length)
        {
            T x = Unsafe.Add(ref first, i), y = Unsafe.Add(ref second, j);
            Unsafe.Add(ref to, written) = x;
            written += (TOperation.KeepsBoth ? x == y : x < y) ? 1 : 0;
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
        }
        return (int)written + (TOperation.KeepsBoth ? 0 : CopyRest(a[(int)i..], destination[(int)written..]));
    }

    /// <summary>Writes the ids that are in either, once each.</summary>
    public static int Union<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination) where T : unmanaged, IBinaryInteger<T> =>
        Either<T, AndIds>(a, b, destination);

    /// <summary>Writes the ids that are in one and not in the other.</summary>
    public static int Xor<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination) where T : unmanaged, IBinaryInteger<T> =>
        Either<T, AndNotIds>(a, b, destination);

    private static int Either<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
        where TOperation : struct, IIdOperation
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        ref T to = ref MemoryMarshal.GetReference(destination);
        nint i = 0, j = 0, written = 0;
        while (i < a.Length && j < b.Length && written < destination.Length)
        {
            T x = Unsafe.Add(ref first, i), y = Unsafe.Add(ref second, j);
            Unsafe.Add(ref to, written) = T.Min(x, y);
            written += TOperation.KeepsBoth || x != y ? 1 : 0;
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
        }
        written += CopyRest(a[(int)i..], destination[(int)written..]);
        return (int)written + CopyRest(b[(int)j..], destination[(int)written..]);
    }

    private static int CopyRest<T>(ReadOnlySpan<T> rest, Span<T> destination)
    {
        rest = rest[..Math.Min(rest.Length, destination.Length)];
        rest.CopyTo(destination);
        return rest.Length;
    }
}

/// <summary>
/// Two sorted arrays, met a block at a time. A vector of the first array meets eight ids of the second. Then the block that ends lower
/// moves on, or both if they end alike. The moves are additions and not branches, so random ids take no longer than regular ones. When a
/// side has no whole block left, <see cref="SortedSearch"/> does the rest, whose work is bounded by that short side. Unsorted input gives
/// a wrong answer but no access outside the arrays: positions only grow, and each turn moves at least one of them.
/// </summary>
internal static class CountedBlocks<T, TLanes>
    where T : unmanaged, IBinaryInteger<T>
    where TLanes : struct, ICountingLanes<T>
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

/// <summary>
/// The same way to choose ids: those of a block are packed and written when the block is left.
/// </summary>
internal static class SortedBlocks<T, TLanes>
    where T : unmanaged, IBinaryInteger<T>
    where TLanes : struct, ILanes<T>
{
    private const int Eight = 8;

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
}
