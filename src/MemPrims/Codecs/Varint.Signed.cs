namespace MemPrims.Codecs;

// Signed numbers. Those that are never negative, such as lengths, are written as unsigned ones. For the others, ZigZag maps
// 0, −1, 1, −2 … to 0, 1, 2, 3 …, so small ones of either sign take few bytes. Protobuf's sint32 and sint64 do the same.
public readonly unsafe partial struct Varint
{
    /// <inheritdoc cref="Size(ulong)"/>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative. <see cref="ZigZag"/> maps these.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(long value) => Size(NumberCodec.NotNegative(value));

    /// <inheritdoc cref="Write(Span{byte}, ulong)"/>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative. <see cref="ZigZag"/> maps these.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, long value) => Write(destination, NumberCodec.NotNegative(value));

    /// <inheritdoc cref="TryWrite(Span{byte}, ulong, out int)"/>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative. <see cref="ZigZag"/> maps these.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWrite(Span<byte> destination, long value, out int written) =>
        TryWrite(destination, NumberCodec.NotNegative(value), out written);

    static string ICodec<Varint, uint>.Name => "varint of 32 bits";

    static int ICodec<Varint, uint>.MaxSize => MaxSize32;

    static int ICodec<Varint, uint>.Size(uint value) => Size((ulong)value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    static int ICodec<Varint, uint>.Write(Span<byte> destination, uint value) => Write(destination, (ulong)value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    static OperationStatus ICodec<Varint, uint>.Read(ReadOnlySpan<byte> source, out uint value, out int consumed) =>
        Read32(source, out value, out consumed);

    static string ICodec<Varint, int>.Name => "varint that fits an int";

    static int ICodec<Varint, int>.MaxSize => MaxSize32;

    static int ICodec<Varint, int>.Size(int value) => Size((long)value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    static int ICodec<Varint, int>.Write(Span<byte> destination, int value) => Write(destination, (long)value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    static OperationStatus ICodec<Varint, int>.Read(ReadOnlySpan<byte> source, out int value, out int consumed)
    {
        OperationStatus status = Read32(source, out uint wide, out consumed);
        value = (int)wide;
        if (value >= 0) return status;
        value = consumed = 0;
        return OperationStatus.InvalidData;
    }

    /// <summary>Maps a signed number to an unsigned one: 0, −1, 1, −2 become 0, 1, 2, 3.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong ZigZag(long value) => (ulong)(value << 1 ^ value >> 63);

    /// <summary>Maps the result of <see cref="ZigZag"/> back.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long UnZigZag(ulong value) => (long)(value >> 1) ^ -(long)(value & 1);
}
