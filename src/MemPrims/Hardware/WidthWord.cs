using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>The word of 8 bytes as the narrowest vector: what the scalar tier runs the same loops with.</summary>
internal readonly unsafe struct WidthWord : IWidth<ulong>
{
    public static int Bytes => sizeof(ulong);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Load(byte* source) => Unsafe.ReadUnaligned<ulong>(source);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(ulong vector, byte* destination) => Unsafe.WriteUnaligned(destination, vector);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Difference(ulong left, ulong right) => left ^ right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Either(ulong left, ulong right) => left | right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(ulong vector) => vector == 0;

    /// <summary>Bit i is set at least where byte i is the first that differs: enough for its position.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(ulong left, ulong right) =>
        left == right ? 0 : 1ul << (BitOperations.TrailingZeroCount(left ^ right) >> 3);
}
