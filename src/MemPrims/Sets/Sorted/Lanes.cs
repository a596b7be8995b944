using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

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
