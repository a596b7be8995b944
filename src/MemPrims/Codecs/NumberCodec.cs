namespace MemPrims.Codecs;

// A codec of one unsigned number, which can also write where the caller knows that there is room.
internal unsafe interface INumberCodec<TSelf> : ICodec<TSelf, ulong>
    where TSelf : INumberCodec<TSelf>
{
    static abstract byte* Write(byte* destination, ulong value);
}

// What the codecs of one number have in common.
internal static unsafe class NumberCodec
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWrite<TCodec>(Span<byte> destination, ulong value, out int written)
        where TCodec : INumberCodec<TCodec>
    {
        if (destination.Length < TCodec.Size(value))
        {
            written = 0;
            return false;
        }
        written = TCodec.Write(destination, value);
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int WriteLong<TCodec>(Span<byte> destination, ulong value)
        where TCodec : INumberCodec<TCodec>
    {
        int size = TCodec.Size(value);
        if (destination.Length < size) return CodecErrors.ThrowDestinationTooShort(destination.Length, size);
        fixed (byte* to = destination) TCodec.Write(to, value);
        return size;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong NotNegative(long value) => value >= 0 ? (ulong)value : CodecErrors.ThrowNegative(value);
}
