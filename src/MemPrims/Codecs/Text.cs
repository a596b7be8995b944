namespace MemPrims.Codecs;

/// <summary>
/// A text: the number of its UTF-8 bytes as a <see cref="PackedLength"/>, then these bytes. Half of a surrogate pair is not written, and
/// bytes that are not UTF-8 are not read.
/// </summary>
public readonly unsafe struct Text : ICodec<Text, string>
{
    static string ICodec<Text, string>.Name => "text";

    static int ICodec<Text, string>.MaxSize => int.MaxValue;

    /// <summary>How many bytes a text takes.</summary>
    /// <exception cref="ArgumentException">The text has half of a surrogate pair, or takes more bytes than an int counts.</exception>
    public static int Size(string value)
    {
        long bytes = Utf8Text.Size(value), size = PackedLength.Size((ulong)bytes) + bytes;
        return size <= int.MaxValue ? (int)size : CodecErrors.ThrowTextTooLong(size);
    }

    /// <summary>Writes a text; returns the bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is too short, or the text has half of a surrogate pair; nothing was
    /// written.</exception>
    public static int Write(Span<byte> destination, string value)
    {
        int size = Size(value);
        if (size > destination.Length) return CodecErrors.ThrowDestinationTooShort(destination.Length, size);
        int bytes = Utf8Text.Size(value), prefix = PackedLength.Write(destination, (ulong)bytes);
        fixed (byte* to = destination) Utf8Text.Write(to + prefix, bytes, value);
        return size;
    }

    /// <inheritdoc cref="ICodec{TSelf, TValue}.Read"/>
    public static OperationStatus Read(ReadOnlySpan<byte> source, out string value, out int consumed) =>
        Read(source, int.MaxValue, out value, out consumed);

    // Reads a text of at most `most` bytes of UTF-8. A longer one is InvalidData.
    internal static OperationStatus Read(ReadOnlySpan<byte> source, int most, out string value, out int consumed)
    {
        value = null!;
        consumed = 0;
        OperationStatus status = PackedLength.Read(source, out ulong length, out int prefix);
        if (status != OperationStatus.Done) return status;
        // No array holds more, so nobody wrote such a text.
        if (length > (ulong)Math.Min(most, Array.MaxLength - prefix)) return OperationStatus.InvalidData;
        if (length > (ulong)(source.Length - prefix)) return OperationStatus.NeedMoreData;
        string? text = Utf8Text.Read(source.Slice(prefix, (int)length));
        if (text is null) return OperationStatus.InvalidData;
        value = text;
        consumed = prefix + (int)length;
        return OperationStatus.Done;
    }
}
