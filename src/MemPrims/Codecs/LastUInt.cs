namespace MemPrims.Codecs;

/// <summary>
/// The last number of an entry: little-endian, in as few bytes as it needs. Its length is not written. It is what is left of the entry.
/// <code>
/// value                     bytes
/// 0                         none
/// 1 … 255                   vv
/// 256 … 65,535              vv vv
/// …
/// 2^56 … 2^64 − 1           eight
/// </code>
/// Each value has one form. A last byte of zero is refused as overlong, and so are more than eight bytes. <see cref="Read"/> takes the
/// whole source as the number, so it never answers <see cref="OperationStatus.NeedMoreData"/>.
/// </summary>
public readonly unsafe struct LastUInt : INumberCodec<LastUInt>
{
    /// <summary>The most bytes that a value takes.</summary>
    public const int MaxSize = sizeof(ulong);

    static string ICodec<LastUInt, ulong>.Name => "last number";

    static int ICodec<LastUInt, ulong>.MaxSize => MaxSize;

    static bool ICodec<LastUInt, ulong>.TakesAll => true;

    /// <summary>How many bytes <paramref name="value"/> takes, from 0 to <see cref="MaxSize"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(ulong value) => (71 - BitOperations.LeadingZeroCount(value)) >> 3;

    /// <inheritdoc cref="Varint.Write(Span{byte}, ulong)"/>
    public static int Write(Span<byte> destination, ulong value) => NumberCodec.WriteLong<LastUInt>(destination, value);

    /// <inheritdoc cref="Varint.TryWrite(Span{byte}, ulong, out int)"/>
    public static bool TryWrite(Span<byte> destination, ulong value, out int written) =>
        NumberCodec.TryWrite<LastUInt>(destination, value, out written);

    /// <summary>
    /// Reads the whole source as one number. <see cref="OperationStatus.InvalidData"/>: Write never produces such bytes; nothing is
    /// consumed.
    /// </summary>
    public static OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed)
    {
        value = 0;
        consumed = 0;
        if (source.Length > MaxSize) return OperationStatus.InvalidData;
        if (source.IsEmpty) return OperationStatus.Done;
        if (source[^1] == 0) return OperationStatus.InvalidData;
        value = source.Length >= sizeof(uint) ? ReadHalves(source) : ReadShort(source);
        consumed = source.Length;
        return OperationStatus.Done;
    }

    /// <inheritdoc cref="Varint.Write(byte*, ulong)"/>
    public static byte* Write(byte* destination, ulong value)
    {
        int size = Size(value);
        if (size >= sizeof(uint))
        {
            Unsafe.WriteUnaligned(destination, (uint)value);
            Unsafe.WriteUnaligned(destination + size - sizeof(uint), (uint)(value >> (8 * size - 32)));
        }
        else if (size > 0)
        {
            // The first, the middle and the last byte. Some may be the same one. So there is no branch on the length.
            destination[0] = (byte)value;
            destination[size >> 1] = (byte)(value >> (8 * (size >> 1)));
            destination[size - 1] = (byte)(value >> (8 * size - 8));
        }
        return destination + size;
    }

    // Two words that overlap. The shift puts the second one in its place, so the bytes in both are the same.
    private static ulong ReadHalves(ReadOnlySpan<byte> source)
    {
        ulong low = BinaryPrimitives.ReadUInt32LittleEndian(source);
        ulong high = BinaryPrimitives.ReadUInt32LittleEndian(source[^sizeof(uint)..]);
        return low | high << (8 * source.Length - 32);
    }

    private static ulong ReadShort(ReadOnlySpan<byte> source)
    {
        int middle = source.Length >> 1, last = source.Length - 1;
        return source[0] | (ulong)source[middle] << (8 * middle) | (ulong)source[last] << (8 * last);
    }
}
