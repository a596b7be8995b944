using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims.Codecs;

/// <summary>
/// What a read found: <see cref="Length"/> bytes that hold <see cref="Value"/>. Returned in two registers, where `out` would keep both in
/// memory.
/// </summary>
internal readonly struct Decoded(ulong value, int length)
{
    public const int NeedMoreData = 0, InvalidData = -1;

    public readonly ulong Value = value;

    /// <summary>The bytes of the value, or one of the two constants.</summary>
    public readonly int Length = length;
}

/// <summary>
/// A number as groups of 7 bits, low first, one in each byte, at most ten; the eighth bit tells whether the byte is the last one. Which
/// way it tells is the only difference between <see cref="Varint"/> (set: more follow) and <see cref="PackedLength"/> (set: the last), so
/// every routine takes the bits to flip: 0 for the former, 0x80 in each byte for the latter. It is a constant at every call, and folded
/// away.
///
/// Both directions work on a word of 8 bytes: the groups are spread or gathered in three shift steps, the length comes from counting
/// zeros, and the branches are by class of length (2 to 3, 4 to 8, 9 to 10 bytes), which changes less often than the length. PEXT and
/// PDEP would do the steps in one instruction, but are microcode of hundreds of cycles on some machines (Zen 1 and 2), and the steps are
/// not in the chain from value to value.
/// </summary>
internal static unsafe class SevenBitGroups
{
    public const int MaxSize = 10;
    private const ulong HighBits = 0x8080_8080_8080_8080;

    /// <summary>Bytes that the value takes: one for each 7 bits, without a division.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(ulong value) => (BitOperations.Log2(value | 1) * 9 + 73) >> 6;

    /// <summary>Writes a value of <paramref name="size"/> bytes, two at least: these and no other byte. Returns where they end.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Write(byte* to, ulong value, int size, ulong flip)
    {
        ulong groups = Spread(value);
        if (size <= 8)
        {
            groups |= HighBits >> (72 - 8 * size);
            groups ^= flip;
            if (size <= 3)
            {
                Unsafe.WriteUnaligned(to, (ushort)groups);
                to[size - 1] = (byte)(groups >> (8 * size - 8));
            }
            else
            {
                Unsafe.WriteUnaligned(to, (uint)groups);
                Unsafe.WriteUnaligned(to + size - 4, (uint)(groups >> (8 * size - 32)));
            }
        }
        else
        {
            groups |= HighBits;
            Unsafe.WriteUnaligned(to, groups ^ flip);
            // Bytes 7, 8 and 9: the last two that there are overlap what was stored.
            uint top = (uint)(groups >> 56) | (uint)(value >> 56 & 0x7F) << 8 | (uint)(size - 9) << 15 | (uint)(value >> 63) << 16;
            Unsafe.WriteUnaligned(to + size - 2, (ushort)((top ^ (uint)flip) >> (8 * (size - 9))));
        }
        return to + size;
    }

    /// <summary>
    /// Reads a value of any size from the <paramref name="length"/> bytes at <paramref name="from"/>, and touches no other.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Decoded Read(ref byte from, int length, ulong flip)
    {
        if (length < 8) return ReadShort(ref from, length, flip);
        ulong word = Unsafe.ReadUnaligned<ulong>(ref from) ^ flip, stops = ~word & HighBits;
        if (stops != 0)
        {
            int bits = BitOperations.TrailingZeroCount(stops) + 1;
            ulong bytes = word & (stops ^ (stops - 1));
            // A last group of zero that is not the only one: overlong.
            if (bytes >> (bits - 8) == 0 && bits > 8) return new(0, Decoded.InvalidData);
            return new(Gather(bytes), bits >> 3);
        }
        return ReadNineOrTen(ref from, length, word, flip);
    }

    // Half of all 64-bit numbers take ten bytes and half take nine: no branch between the two.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Decoded ReadNineOrTen(ref byte from, int length, ulong word, ulong flip)
    {
        if (length < 10) return ReadShort(ref from, length, flip);
        uint top = (uint)(Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref from, 8)) ^ (ushort)flip);
        uint ten = top >> 7 & 1, ninth = top & 0xFF, tenth = top >> 8;
        // The ninth byte is the last and zero, or the tenth is not one: a tenth above one is beyond 64 bits, a tenth of zero overlong.
        uint wrong = (ninth - 1) >> 31 | (0 - ten) & (tenth ^ 1);
        if (wrong != 0) return new(0, Decoded.InvalidData);
        return new(Gather(word) | (ulong)(top & 0x7F) << 56 | (ulong)ten << 63, 9 + (int)ten);
    }

    // Near the end of the source, where a word would reach past it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Decoded ReadShort(ref byte from, int length, ulong flip)
    {
        ulong value = 0;
        for (int i = 0; i < length; i++)
        {
            byte group = (byte)(Unsafe.Add(ref from, i) ^ (byte)flip);
            if (i == MaxSize - 1 && group != 1) return new(0, Decoded.InvalidData);
            value |= (ulong)(group & 0x7F) << (7 * i);
            if (group < 0x80) return group == 0 && i > 0 ? new(0, Decoded.InvalidData) : new(value, i + 1);
        }
        return new(value, Decoded.NeedMoreData);
    }

    private static ulong Spread(ulong value)
    {
        ulong x = value & 0x0FFF_FFFF | (value & 0x00FF_FFFF_F000_0000) << 4;
        x = x & 0x0000_3FFF_0000_3FFF | (x & 0x0FFF_C000_0FFF_C000) << 2;
        return x & 0x007F_007F_007F_007F | (x & 0x3F80_3F80_3F80_3F80) << 1;
    }

    private static ulong Gather(ulong bytes)
    {
        ulong x = bytes & 0x007F_007F_007F_007F | (bytes & 0x7F00_7F00_7F00_7F00) >> 1;
        x = x & 0x0000_3FFF_0000_3FFF | (x & 0x3FFF_0000_3FFF_0000) >> 2;
        return x & 0x0FFF_FFFF | (x & 0x0FFF_FFFF_0000_0000) >> 4;
    }
}
