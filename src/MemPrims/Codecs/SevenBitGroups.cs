namespace MemPrims.Codecs;

// A number as groups of 7 bits, one in each byte, low group first, ten at most. The eighth bit says whether the byte is the last one. In a
// Varint the bit is set in all bytes but the last, in a PackedLength only in the last. That is their only difference, so every routine
// takes the bits to flip: 0 for the former, 0x80 in each byte for the latter. Each call passes a constant, so the flip costs nothing where
// it is 0.
//
// Both directions work on a word of 8 bytes. Three steps of shifts spread or gather the groups, and counting zeros gives the length. The
// branches are on classes of lengths (2 to 3, 4 to 8, 9 to 10 bytes), which change less often than the length. PEXT and PDEP would do the
// three steps in one instruction, but take hundreds of cycles on some processors (Zen 1 and 2). The next value does not wait for these
// steps, so they cost little.
internal static unsafe class SevenBitGroups
{
    public const int MaxSize = 10;
    private const ulong HighBits = 0x8080_8080_8080_8080;

    // How many bytes the value takes: one for each 7 bits. No division is needed.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(ulong value) => (BitOperations.Log2(value | 1) * 9 + 73) >> 6;

    // Writes a value of `size` bytes, at least two, and no other byte. Returns where they end.
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
            // Bytes 7, 8 and 9 of the value. The last two of its bytes are stored here. Of nine bytes, the eighth is stored a second time.
            uint top = (uint)(groups >> 56) | (uint)(value >> 56 & 0x7F) << 8 | (uint)(size - 9) << 15 | (uint)(value >> 63) << 16;
            Unsafe.WriteUnaligned(to + size - 2, (ushort)((top ^ (uint)flip) >> (8 * (size - 9))));
        }
        return to + size;
    }

    // Reads a value of any size from the `length` bytes at `from`, and touches no other.
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
        // Wrong: a ninth byte that is the last and zero, or a tenth that is not 1. A tenth above 1 is more than 64 bits, 0 is overlong.
        uint wrong = (ninth - 1) >> 31 | (0 - ten) & (tenth ^ 1);
        if (wrong != 0) return new(0, Decoded.InvalidData);
        return new(Gather(word) | (ulong)(top & 0x7F) << 56 | (ulong)ten << 63, 9 + (int)ten);
    }

    // For the end of the source, where a word would reach past it.
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
