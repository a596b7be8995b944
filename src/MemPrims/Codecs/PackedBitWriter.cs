namespace MemPrims.Codecs;

// Writes numbers of any width one behind the other, low bits first, and no byte more than they take.
internal unsafe struct PackedBitWriter(byte* to)
{
    private byte* _to = to;
    private ulong _word;
    private int _filled;

    // Writes the lower bits of a number, of which there are no others.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ulong value, int width)
    {
        if (width > 32)
        {
            Write((uint)value, 32);
            value >>= 32;
            width -= 32;
        }
        _word |= value << _filled;
        _filled += width;
        if (_filled < 32) return;
        Unsafe.WriteUnaligned(_to, (uint)_word);
        _to += sizeof(uint);
        _word >>= 32;
        _filled -= 32;
    }

    // Fills the last byte up with zeros. Returns where the next one goes.
    public byte* End()
    {
        for (; _filled > 0; _filled -= 8, _word >>= 8) *_to++ = (byte)_word;
        _filled = 0;
        return _to;
    }
}
