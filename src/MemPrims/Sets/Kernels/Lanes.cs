using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// A vector of ids at one width. The kernels of <see cref="SortedBlocks{T, TLanes}"/> and <see cref="CountedBlocks{T, TLanes}"/> are
/// written once over it and compile to the same instructions as a version for each width.
/// </summary>
internal interface ILanes<T> : IProbe<T> where T : unmanaged
{
    /// <summary>
    /// One bit for each of the <see cref="IProbe{T}.Count"/> ids at <paramref name="block"/> that is among the eight at
    /// <paramref name="eight"/>.
    /// </summary>
    static abstract ulong Matches(ref T block, ref T eight);

    /// <summary>
    /// Writes the ids at <paramref name="block"/> whose bit is set in <paramref name="mask"/>. It overwrites <see cref="IProbe{T}.Count"/>
    /// places.
    /// </summary>
    static abstract void Pack(ref T block, ulong mask, ref T to);
}

/// <summary>
/// Lanes that count. Their value holds, lane by lane, how many ids have met, so no mask is made for each meeting.
/// </summary>
internal interface ICountingLanes<T> : ILanes<T> where T : unmanaged
{
    /// <summary>Counts the ids at <paramref name="block"/> that are among the eight at <paramref name="eight"/>.</summary>
    void Meet(ref T block, ref T eight);

    /// <summary>The ids counted.</summary>
    long Total { get; }
}

/// <summary>
/// The ids that a search compares in its last step.
/// </summary>
internal interface IProbe<T> where T : unmanaged
{
    /// <summary>The ids in a vector, at most 32.</summary>
    static abstract int Count { get; }

    /// <summary>1 when <paramref name="id"/> is among the <see cref="Count"/> ids at <paramref name="block"/>, else 0.</summary>
    static abstract int Holds(ref T block, T id);

    /// <summary>How many of the <see cref="Count"/> ids at <paramref name="block"/> are at or below <paramref name="id"/>.</summary>
    static abstract int CountUpTo(ref T block, T id);
}

/// <summary>What the widths share.</summary>
internal static class Lanes
{
    /// <summary>
    /// Packs the ids one by one, where no instruction packs lanes.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void PackByBits<T>(ref T block, ulong mask, ref T to) where T : unmanaged
    {
        for (; mask != 0; mask &= mask - 1)
        {
            to = Unsafe.Add(ref block, BitOperations.TrailingZeroCount(mask));
            to = ref Unsafe.Add(ref to, 1);
        }
    }
}

/// <summary>
/// For searches that end at one id: without vectors, or in fewer ids than a vector holds.
/// </summary>
internal readonly struct Lane1<T> : IProbe<T> where T : unmanaged, IBinaryInteger<T>
{
    public static int Count => 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Holds(ref T block, T id) => block == id ? 1 : 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int CountUpTo(ref T block, T id) => block <= id ? 1 : 0;
}

/// <summary>128 bits: 8, 4 or 2 ids.</summary>
internal struct Lanes128<T> : ICountingLanes<T> where T : unmanaged, IBinaryInteger<T>
{
    private Vector128<T> _met;

    public static int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Vector128<T>.Count;
    }

    public readonly long Total => long.CreateTruncating(Vector128.Sum(_met));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Meet(ref T block, ref T eight) => _met -= Meeting.Matches(Vector128.LoadUnsafe(ref block), ref eight);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Matches(ref T block, ref T eight) =>
        Meeting.Matches(Vector128.LoadUnsafe(ref block), ref eight).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Holds(ref T block, T id) => Vector128.EqualsAny(Vector128.LoadUnsafe(ref block), Vector128.Create(id)) ? 1 : 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int CountUpTo(ref T block, T id) =>
        BitOperations.PopCount(
            Vector128.LessThanOrEqual(Vector128.LoadUnsafe(ref block), Vector128.Create(id)).ExtractMostSignificantBits());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Pack(ref T block, ulong mask, ref T to)
    {
        if (Unsafe.SizeOf<T>() == sizeof(ushort))
            PackTable.Pack(Vector128.LoadUnsafe(ref block).AsUInt16(), (uint)mask).As<ushort, T>().StoreUnsafe(ref to);
        else Lanes.PackByBits(ref block, mask, ref to);
    }
}

/// <summary>256 bits: 16, 8 or 4 ids.</summary>
internal struct Lanes256<T> : ICountingLanes<T> where T : unmanaged, IBinaryInteger<T>
{
    private Vector256<T> _met;

    public static int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Vector256<T>.Count;
    }

    public readonly long Total => long.CreateTruncating(Vector256.Sum(_met));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Meet(ref T block, ref T eight) => _met -= Meeting.Matches(Vector256.LoadUnsafe(ref block), ref eight);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Matches(ref T block, ref T eight) =>
        Meeting.Matches(Vector256.LoadUnsafe(ref block), ref eight).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Holds(ref T block, T id) => Vector256.EqualsAny(Vector256.LoadUnsafe(ref block), Vector256.Create(id)) ? 1 : 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int CountUpTo(ref T block, T id) =>
        BitOperations.PopCount(
            Vector256.LessThanOrEqual(Vector256.LoadUnsafe(ref block), Vector256.Create(id)).ExtractMostSignificantBits());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Pack(ref T block, ulong mask, ref T to)
    {
        if (Unsafe.SizeOf<T>() != sizeof(ushort))
        {
            Lanes.PackByBits(ref block, mask, ref to);
            return;
        }
        Vector256<ushort> ids = Vector256.LoadUnsafe(ref block).AsUInt16();
        uint low = (byte)mask;
        PackTable.Pack(ids.GetLower(), low).As<ushort, T>().StoreUnsafe(ref to);
        PackTable.Pack(ids.GetUpper(), (uint)mask >> 8).As<ushort, T>().StoreUnsafe(ref to, (nuint)BitOperations.PopCount(low));
    }
}

/// <summary>512 bits: 32, 16 or 8 ids.</summary>
internal readonly struct Lanes512<T> : ILanes<T> where T : unmanaged, IBinaryInteger<T>
{
    public static int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Vector512<T>.Count;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Matches(ref T block, ref T eight) =>
        Vector512.Equals(Meeting.Least(Vector512.LoadUnsafe(ref block), ref eight), Vector512<T>.Zero).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Holds(ref T block, T id) => Vector512.EqualsAny(Vector512.LoadUnsafe(ref block), Vector512.Create(id)) ? 1 : 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int CountUpTo(ref T block, T id) =>
        BitOperations.PopCount(
            Vector512.LessThanOrEqual(Vector512.LoadUnsafe(ref block), Vector512.Create(id)).ExtractMostSignificantBits());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Pack(ref T block, ulong mask, ref T to)
    {
        Vector512<T> ids = Vector512.LoadUnsafe(ref block);
        // Packs into a register and stores that: the form that packs into memory is slow microcode on AMD.
        if (Unsafe.SizeOf<T>() == 4)
            Avx512F.Compress(Vector512<uint>.Zero, Mask32((uint)mask), ids.AsUInt32()).As<uint, T>().StoreUnsafe(ref to);
        else if (Unsafe.SizeOf<T>() == 8)
            Avx512F.Compress(Vector512<ulong>.Zero, Mask64(mask), ids.AsUInt64()).As<ulong, T>().StoreUnsafe(ref to);
        else
            Lanes.PackByBits(ref block, mask, ref to);
    }

    // Turns bits into lanes. The JIT makes two instructions of it, the move to a mask register and back.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<uint> Mask32(uint mask)
    {
        Vector512<uint> bits = Vector512.Create(1u, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7,
            1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15);
        return Vector512.Equals(Vector512.Create(mask) & bits, bits);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<ulong> Mask64(ulong mask)
    {
        Vector512<ulong> bits = Vector512.Create(1ul, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7);
        return Vector512.Equals(Vector512.Create(mask) & bits, bits);
    }
}

/// <summary>
/// A vector of ids meets eight others. Up to 256 bits a lane matches when one of eight comparisons does. With 512 bits it matches if the
/// least of its eight differences is zero: exclusive-or and minimum run on four ports, comparisons into mask registers on two, and joining
/// their masks on one (100 k × 100 k ids: 25 µs by minimum, 61 by masks, Sets/CountRatio).
/// </summary>
internal static class Meeting
{
    /// <summary>All bits are set in the lanes whose id is among the eight.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<T> Matches<T>(Vector128<T> ids, ref T eight) where T : unmanaged, IBinaryInteger<T>
    {
        Vector128<T> low = Same(ids, ref eight, 0) | Same(ids, ref eight, 1) | (Same(ids, ref eight, 2) | Same(ids, ref eight, 3));
        Vector128<T> high = Same(ids, ref eight, 4) | Same(ids, ref eight, 5) | (Same(ids, ref eight, 6) | Same(ids, ref eight, 7));
        return low | high;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector128<T> Same(Vector128<T> ids, ref T eight, int index) =>
            Vector128.Equals(ids, Vector128.Create(Unsafe.Add(ref eight, index)));
    }

    /// <inheritdoc cref="Matches{T}(Vector128{T}, ref T)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<T> Matches<T>(Vector256<T> ids, ref T eight) where T : unmanaged, IBinaryInteger<T>
    {
        Vector256<T> low = Same(ids, ref eight, 0) | Same(ids, ref eight, 1) | (Same(ids, ref eight, 2) | Same(ids, ref eight, 3));
        Vector256<T> high = Same(ids, ref eight, 4) | Same(ids, ref eight, 5) | (Same(ids, ref eight, 6) | Same(ids, ref eight, 7));
        return low | high;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector256<T> Same(Vector256<T> ids, ref T eight, int index) =>
            Vector256.Equals(ids, Vector256.Create(Unsafe.Add(ref eight, index)));
    }

    /// <summary>Zero in the lanes whose id is among the eight.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<T> Least<T>(Vector512<T> ids, ref T eight) where T : unmanaged, IBinaryInteger<T>
    {
        Vector512<T> low = Vector512.Min(
            Vector512.Min(Apart(ids, ref eight, 0), Apart(ids, ref eight, 1)),
            Vector512.Min(Apart(ids, ref eight, 2), Apart(ids, ref eight, 3)));
        Vector512<T> high = Vector512.Min(
            Vector512.Min(Apart(ids, ref eight, 4), Apart(ids, ref eight, 5)),
            Vector512.Min(Apart(ids, ref eight, 6), Apart(ids, ref eight, 7)));
        return Vector512.Min(low, high);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector512<T> Apart(Vector512<T> ids, ref T eight, int index) => ids ^ Vector512.Create(Unsafe.Add(ref eight, index));
    }
}

/// <summary>
/// The bitonic network: merges two sorted vectors. A sorted vector followed by another one in reverse order is a bitonic sequence.
/// Lane-wise minimum and maximum divide it into a lower and an upper half, and exchanges at halved distances sort each half.
/// </summary>
internal static class Network
{
    /// <summary>
    /// The lower half stays in <paramref name="low"/>, the upper half goes to <paramref name="high"/>. For ids of 16 and of 32 bits.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Merge<T>(ref Vector512<T> low, ref Vector512<T> high) where T : unmanaged, IBinaryInteger<T>
    {
        Vector512<T> reversed = Unsafe.SizeOf<T>() == sizeof(ushort)
            ? Avx512BW.PermuteVar32x16(high.AsUInt16(), Vector512.Create((ushort)31) - Vector512<ushort>.Indices).As<ushort, T>()
            : Avx512F.PermuteVar16x32(high.AsUInt32(), Vector512.Create(15u) - Vector512<uint>.Indices).As<uint, T>();
        Vector512<T> lesser = Vector512.Min(low, reversed), greater = Vector512.Max(low, reversed);
        low = Sort(lesser);
        high = Sort(greater);
    }

    /// <inheritdoc cref="Merge{T}(ref Vector512{T}, ref Vector512{T})"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Merge(ref Vector128<ushort> low, ref Vector128<ushort> high)
    {
        Vector128<ushort> reversed = Vector128.Shuffle(high, Vector128.Create((ushort)7, 6, 5, 4, 3, 2, 1, 0));
        Vector128<ushort> lesser = Vector128.Min(low, reversed), greater = Vector128.Max(low, reversed);
        low = Sort(lesser);
        high = Sort(greater);
    }

    // The distances are 32, 16, 8 and 4 bytes, and 2 bytes for ids of 16 bits.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<T> Sort<T>(Vector512<T> ids) where T : unmanaged, IBinaryInteger<T>
    {
        ids = Exchange(ids, Avx512F.Shuffle4x128(ids.AsUInt32(), ids.AsUInt32(), 0b01_00_11_10).As<uint, T>(), 32 / Unsafe.SizeOf<T>());
        ids = Exchange(ids, Avx512F.Shuffle4x128(ids.AsUInt32(), ids.AsUInt32(), 0b10_11_00_01).As<uint, T>(), 16 / Unsafe.SizeOf<T>());
        ids = Exchange(ids, Avx512F.Shuffle(ids.AsUInt32(), 0b01_00_11_10).As<uint, T>(), 8 / Unsafe.SizeOf<T>());
        ids = Exchange(ids, Avx512F.Shuffle(ids.AsUInt32(), 0b10_11_00_01).As<uint, T>(), 4 / Unsafe.SizeOf<T>());
        return Unsafe.SizeOf<T>() > sizeof(ushort) ? ids : Exchange(ids, Avx512F.RotateLeft(ids.AsUInt32(), 16).As<uint, T>(), 1);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ushort> Sort(Vector128<ushort> ids)
    {
        ids = Exchange(ids, Vector128.Shuffle(ids, Vector128.Create((ushort)4, 5, 6, 7, 0, 1, 2, 3)), 4);
        ids = Exchange(ids, Vector128.Shuffle(ids, Vector128.Create((ushort)2, 3, 0, 1, 6, 7, 4, 5)), 2);
        return Exchange(ids, Vector128.Shuffle(ids, Vector128.Create((ushort)1, 0, 3, 2, 5, 4, 7, 6)), 1);
    }

    /// <summary>
    /// The lesser of each pair where the bit of <paramref name="distance"/> is clear in the lane's number, the greater where it is set.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<T> Exchange<T>(Vector512<T> ids, Vector512<T> partner, int distance) where T : unmanaged, IBinaryInteger<T>
    {
        Vector512<T> bit = Vector512.Create(T.CreateTruncating(distance)), isUpper = Vector512.Equals(Vector512<T>.Indices & bit, bit);
        return Vector512.ConditionalSelect(isUpper, Vector512.Max(ids, partner), Vector512.Min(ids, partner));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ushort> Exchange(Vector128<ushort> ids, Vector128<ushort> partner, ushort distance)
    {
        Vector128<ushort> isUpper = Vector128.Equals(Vector128<ushort>.Indices & Vector128.Create(distance), Vector128.Create(distance));
        return Vector128.ConditionalSelect(isUpper, Vector128.Max(ids, partner), Vector128.Min(ids, partner));
    }
}
