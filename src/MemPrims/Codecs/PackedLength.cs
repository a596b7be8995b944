namespace MemPrims.Codecs;

/// <summary>
/// Lengths, which are mostly small. A value below 255 is one byte. Others are FF, then the value − 255 in groups of 7 bits, low group
/// first. The last byte has its high bit set.
/// <code>
/// value                     bytes
/// 0 … 254                   vvvvvvvv
/// 255 … 382                 FF 1vvvvvvv                      255 is FF 80
/// 383 … 16,638              FF 0vvvvvvv 1vvvvvvv             383 is FF 00 81
/// …
/// 2^63 + 255 … 2^64 − 1     FF 0vvvvvvv nine times, then 10000001
/// </code>
/// Each value has one form. A last group of zero after others is refused as overlong. Bytes that mean more than 2^64 − 1 are refused too.
/// </summary>
public readonly unsafe struct PackedLength : INumberCodec<PackedLength>
{
    /// <summary>The most bytes that a value takes.</summary>
    public const int MaxSize = 1 + SevenBitGroups.MaxSize;

    private const ulong Escape = 0xFF, Flip = 0x8080_8080_8080_8080;

    static string ICodec<PackedLength, ulong>.Name => "packed length";

    static int ICodec<PackedLength, ulong>.MaxSize => MaxSize;

    /// <summary>How many bytes <paramref name="value"/> takes, from 1 to <see cref="MaxSize"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(ulong value) => value < Escape ? 1 : 1 + SevenBitGroups.Size(value - Escape);

    /// <inheritdoc cref="Varint.Write(Span{byte}, ulong)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, ulong value)
    {
        if (value >= Escape || destination.IsEmpty) return NumberCodec.WriteLong<PackedLength>(destination, value);
        destination[0] = (byte)value;
        return 1;
    }

    /// <inheritdoc cref="Varint.TryWrite(Span{byte}, ulong, out int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWrite(Span<byte> destination, ulong value, out int written) =>
        NumberCodec.TryWrite<PackedLength>(destination, value, out written);

    /// <inheritdoc cref="Size(ulong)"/>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(long value) => Size(NumberCodec.NotNegative(value));

    /// <inheritdoc cref="Varint.Write(Span{byte}, ulong)"/>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, long value) => Write(destination, NumberCodec.NotNegative(value));

    /// <inheritdoc cref="Varint.TryWrite(Span{byte}, ulong, out int)"/>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWrite(Span<byte> destination, long value, out int written) =>
        TryWrite(destination, NumberCodec.NotNegative(value), out written);

    /// <inheritdoc cref="Varint.Read(ReadOnlySpan{byte}, out ulong, out int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed)
    {
        if (!source.IsEmpty && source[0] < Escape)
        {
            value = source[0];
            consumed = 1;
            return OperationStatus.Done;
        }
        return Decoded.Answer(ReadLong(source), out value, out consumed);
    }

    /// <inheritdoc cref="Varint.Write(byte*, ulong)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Write(byte* destination, ulong value)
    {
        if (value >= Escape) return WriteLong(destination, value - Escape);
        *destination = (byte)value;
        return destination + 1;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* WriteLong(byte* destination, ulong above)
    {
        *destination++ = (byte)Escape;
        if (above >= 0x80) return SevenBitGroups.Write(destination, above, SevenBitGroups.Size(above), Flip);
        *destination = (byte)(above | 0x80);
        return destination + 1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Decoded ReadLong(ReadOnlySpan<byte> source)
    {
        if (source.IsEmpty) return new(0, Decoded.NeedMoreData);
        Decoded above = SevenBitGroups.Read(ref MemoryMarshal.GetReference(source[1..]), source.Length - 1, Flip);
        if (above.Length < 0) return above;
        // After nine groups the tenth can only add 2^63. If that is already too much, the bytes are invalid whatever follows.
        bool tenthMissing = above.Length == Decoded.NeedMoreData && source.Length == MaxSize - 1;
        if ((above.Value | (tenthMissing ? 1UL << 63 : 0)) > ulong.MaxValue - Escape) return new(0, Decoded.InvalidData);
        return above.Length == Decoded.NeedMoreData ? above : new(above.Value + Escape, above.Length + 1);
    }
}
