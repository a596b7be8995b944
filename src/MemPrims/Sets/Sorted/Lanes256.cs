using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>256 bits: 16, 8 or 4 ids. A lane matches when one of eight comparisons does.</summary>
internal struct Lanes256<T> : ILanes<T> where T : unmanaged, IBinaryInteger<T>
{
    private Vector256<T> _met;

    public static int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Vector256<T>.Count;
    }

    public readonly long Total => long.CreateTruncating(Vector256.Sum(_met));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Meet(ref T block, ref T eight) => _met -= AmongEight(ref block, ref eight);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Matches(ref T block, ref T eight) => AmongEight(ref block, ref eight).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector256<T> AmongEight(ref T block, ref T eight)
    {
        Vector256<T> ids = Vector256.LoadUnsafe(ref block);
        Vector256<T> low = Same(ids, ref eight, 0) | Same(ids, ref eight, 1) | (Same(ids, ref eight, 2) | Same(ids, ref eight, 3));
        Vector256<T> high = Same(ids, ref eight, 4) | Same(ids, ref eight, 5) | (Same(ids, ref eight, 6) | Same(ids, ref eight, 7));
        return low | high;
    }

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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Ascending(ref T block) =>
        Vector256.LessThan(Vector256.LoadUnsafe(ref block), Vector256.LoadUnsafe(ref block, 1)).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector256<T> Same(Vector256<T> ids, ref T eight, int index) =>
        Vector256.Equals(ids, Vector256.Create(Unsafe.Add(ref eight, index)));
}
