using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// Copy without vectors, by length:
///
///    0–3   bytes, by a branch table over the length
///    4–15  four overlapping words of 4 bytes, two from either end
///   16–32  four overlapping words of 8 bytes
///    more  words of 8 bytes, away from the overlap, four at a time
/// </summary>
internal static unsafe class CopyScalar
{
    public static void Move(byte* destination, byte* source, nint length)
    {
        if (length < 16) MoveShort(destination, source, length);
        else if (length <= 4 * sizeof(ulong)) CopyWindows<WidthWord, ulong>.Move(destination, source, length);
        else CopyStride<WidthWord, ulong>.Move(destination, source, length);
    }

    /// <summary>Lengths below 16, and the error for a negative one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void MoveShort(byte* destination, byte* source, nint length)
    {
        if (length >= 4)
        {
            nint second = (length >> 1) & 4, last = length - 4, third = last - second;
            uint a = Half(source), b = Half(source + second), c = Half(source + third), d = Half(source + last);
            Unsafe.WriteUnaligned(destination, a);
            Unsafe.WriteUnaligned(destination + second, b);
            Unsafe.WriteUnaligned(destination + third, c);
            Unsafe.WriteUnaligned(destination + last, d);
            return;
        }
        switch (length)
        {
            case 0:
                return;
            case 1:
                *destination = *source;
                return;
            case 2:
                Unsafe.WriteUnaligned(destination, Unsafe.ReadUnaligned<ushort>(source));
                return;
            case 3:
                ushort front = Unsafe.ReadUnaligned<ushort>(source);
                byte back = source[2];
                Unsafe.WriteUnaligned(destination, front);
                destination[2] = back;
                return;
            default:
                Throw.NegativeLength(length);
                return;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Half(byte* source) => Unsafe.ReadUnaligned<uint>(source);
}
