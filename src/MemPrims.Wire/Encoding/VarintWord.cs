namespace MemPrims.Wire;

// A varint of at most eight bytes as one word, so that it is written by one store, whatever its size: in a message sizes differ from
// field to field, and no branch predicts them. The encoders have room beside what they write, so the store may be wider than the varint.
internal static class VarintWord
{
    // Values from here on take nine or ten bytes.
    public const ulong TooLarge = 1ul << 56;

    // The bytes of a value that has size of them; the first byte is the lowest.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(ulong value, int size)
    {
        // Groups of 7 bits, spread over eight bytes in three steps.
        ulong word = (value & 0x0FFF_FFFF) | (value & 0x00FF_FFFF_F000_0000) << 4;
        word = (word & 0x0000_3FFF_0000_3FFF) | (word & 0x0FFF_C000_0FFF_C000) << 2;
        word = (word & 0x007F_007F_007F_007F) | (word & 0x3F80_3F80_3F80_3F80) << 1;
        // The highest bit of each byte but the last says that more follow.
        return word | (0x8080_8080_8080_8080 & ((1ul << (8 * size - 8)) - 1));
    }
}
