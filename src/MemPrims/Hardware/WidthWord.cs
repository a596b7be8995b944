using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>The word of 8 bytes as the narrowest vector: the scalar tier runs the same loops with it.</summary>
internal readonly struct WidthWord : IWidth<ulong>
{
    public static int Bytes => sizeof(ulong);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Load(ref byte block, nint offset) => Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref block, offset));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(ulong vector, ref byte block, nint offset) =>
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref block, offset), vector);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Difference(ulong left, ulong right) => left ^ right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Either(ulong left, ulong right) => left | right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(ulong vector) => vector == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(ulong left, ulong right) =>
        left == right ? 0 : 1ul << (BitOperations.TrailingZeroCount(left ^ right) >> 3);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(ulong left, ulong right, ulong left2, ulong right2) =>
        DifferentBytes((left ^ right) | (left2 ^ right2), 0);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong GreaterBytes(ulong left, ulong right) =>
        BinaryPrimitives.ReverseEndianness(left) > BinaryPrimitives.ReverseEndianness(right) ? DifferentBytes(left, right) : 0;
}
