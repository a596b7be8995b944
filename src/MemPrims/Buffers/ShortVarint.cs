namespace MemPrims.Buffers;

// Varints of one to three bytes, for the readers. The code is inlined, and has no branch between two and three bytes.
internal static class ShortVarint
{
    // How many bytes are loaded. The source must have as many.
    public const int Reach = sizeof(uint);

    // The value. The `size` is 0 if the varint is longer than three bytes, or not valid.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Read(ref byte from, out int size)
    {
        uint bytes = Unsafe.ReadUnaligned<uint>(ref from);
        if ((bytes & 0x80) == 0)
        {
            size = 1;
            return bytes & 0x7F;
        }
        uint third = bytes >> 15 & 1, low = bytes & 0x7F | (bytes >> 1 & 0x3F80), high = bytes >> 2 & 0x1F_C000 & (0 - third);
        // Not here: a third byte that says that more follow, and a last byte of zero.
        bool isShort = (bytes & third << 23) == 0 && (low | high) >> (int)(7 + 7 * third) != 0;
        size = isShort ? (int)(2 + third) : 0;
        return low | high;
    }
}
