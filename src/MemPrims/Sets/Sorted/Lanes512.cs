using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// 512 bits: 32, 16 or 8 ids. A lane matches if the least of its eight differences is zero. Exclusive-or and minimum run on four ports.
/// Comparisons into mask registers run on two, and joining their masks on one (100 k × 100 k ids: 25 µs by minimum, 61 by masks,
/// Sets/CountRatio).
/// </summary>
internal struct Lanes512<T> : ILanes<T> where T : unmanaged, IBinaryInteger<T>
{
    private Vector512<T> _met;

    public static int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Vector512<T>.Count;
    }

    public readonly long Total => long.CreateTruncating(Vector512.Sum(_met));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Meet(ref T block, ref T eight) =>
        _met += Vector512.AndNot(Vector512<T>.One, Vector512.Min(Least(ref block, ref eight), Vector512<T>.One));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Matches(ref T block, ref T eight) =>
        Vector512.Equals(Least(ref block, ref eight), Vector512<T>.Zero).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<T> Least(ref T block, ref T eight)
    {
        Vector512<T> ids = Vector512.LoadUnsafe(ref block);
        Vector512<T> low = Vector512.Min(
            Vector512.Min(Apart(ids, ref eight, 0), Apart(ids, ref eight, 1)),
            Vector512.Min(Apart(ids, ref eight, 2), Apart(ids, ref eight, 3)));
        Vector512<T> high = Vector512.Min(
            Vector512.Min(Apart(ids, ref eight, 4), Apart(ids, ref eight, 5)),
            Vector512.Min(Apart(ids, ref eight, 6), Apart(ids, ref eight, 7)));
        return Vector512.Min(low, high);
    }

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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Ascending(ref T block) =>
        Vector512.LessThan(Vector512.LoadUnsafe(ref block), Vector512.LoadUnsafe(ref block, 1)).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<T> Apart(Vector512<T> ids, ref T eight, int index) => ids ^ Vector512.Create(Unsafe.Add(ref eight, index));

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
