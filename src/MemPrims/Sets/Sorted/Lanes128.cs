using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>128 bits: 8, 4 or 2 ids. A lane matches when one of eight comparisons does.</summary>
internal struct Lanes128<T> : ILanes<T> where T : unmanaged, IBinaryInteger<T>
{
    private Vector128<T> _met;

    public static int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Vector128<T>.Count;
    }

    public readonly long Total => long.CreateTruncating(Vector128.Sum(_met));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Meet(ref T block, ref T eight) => _met -= AmongEight(ref block, ref eight);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Matches(ref T block, ref T eight) => AmongEight(ref block, ref eight).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<T> AmongEight(ref T block, ref T eight)
    {
        Vector128<T> ids = Vector128.LoadUnsafe(ref block);
        Vector128<T> low = Same(ids, ref eight, 0) | Same(ids, ref eight, 1) | (Same(ids, ref eight, 2) | Same(ids, ref eight, 3));
        Vector128<T> high = Same(ids, ref eight, 4) | Same(ids, ref eight, 5) | (Same(ids, ref eight, 6) | Same(ids, ref eight, 7));
        return low | high;
    }

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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Ascending(ref T block) =>
        Vector128.LessThan(Vector128.LoadUnsafe(ref block), Vector128.LoadUnsafe(ref block, 1)).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<T> Same(Vector128<T> ids, ref T eight, int index) =>
        Vector128.Equals(ids, Vector128.Create(Unsafe.Add(ref eight, index)));
}
