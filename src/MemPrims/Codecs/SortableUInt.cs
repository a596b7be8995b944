namespace MemPrims.Codecs;

/// <summary>
/// Unsigned integers for keys. Comparing the bytes of two values (memcmp) orders them as the values. The number of 1 bits at the start of
/// the first byte is the number of bytes after it. The value follows, high bits first. <see cref="SortableKey.WriteUInt"/> also writes
/// them in descending order.
/// <code>
/// value                     bytes   first byte
/// 0 … 2^7 − 1               1       0vvvvvvv
/// 2^7 … 2^14 − 1            2       10vvvvvv
/// 2^14 … 2^21 − 1           3       110vvvvv
/// 2^21 … 2^28 − 1           4       1110vvvv
/// 2^28 … 2^35 − 1           5       11110vvv
/// 2^35 … 2^42 − 1           6       111110vv
/// 2^42 … 2^49 − 1           7       1111110v
/// 2^49 … 2^56 − 1           8       11111110
/// 2^56 … 2^64 − 1           9       11111111
/// </code>
/// Each value has one form. More bytes than it needs are refused as overlong, since they would break the order. No form is the beginning
/// of another. So what follows in a key is compared only if the values are equal.
/// </summary>
public readonly unsafe struct SortableUInt : INumberCodec<SortableUInt>
{
    /// <summary>The most bytes that a value takes.</summary>
    public const int MaxSize = 9;

    static string ICodec<SortableUInt, ulong>.Name => "sortable number";

    static int ICodec<SortableUInt, ulong>.MaxSize => MaxSize;

    /// <summary>How many bytes <paramref name="value"/> takes, from 1 to <see cref="MaxSize"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(ulong value)
    {
        int groups = SevenBitGroups.Size(value);
        return groups - (groups >> 1 & groups >> 3); // ten groups of seven bits are nine bytes here
    }

    /// <inheritdoc cref="Varint.Write(Span{byte}, ulong)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, ulong value)
    {
        if (value >= 0x80 || destination.IsEmpty) return NumberCodec.WriteLong<SortableUInt>(destination, value);
        destination[0] = (byte)value;
        return 1;
    }

    /// <inheritdoc cref="Varint.TryWrite(Span{byte}, ulong, out int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWrite(Span<byte> destination, ulong value, out int written) =>
        NumberCodec.TryWrite<SortableUInt>(destination, value, out written);

    /// <inheritdoc cref="Varint.Read(ReadOnlySpan{byte}, out ulong, out int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed)
    {
        if (!source.IsEmpty && source[0] < 0x80)
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
        if (value >= 0x80) return WriteLong(destination, value, Size(value));
        *destination = (byte)value;
        return destination + 1;
    }

    // As in SevenBitGroups, two stores that may overlap, chosen by classes of lengths.
    private static byte* WriteLong(byte* to, ulong value, int size)
    {
        if (size == MaxSize)
        {
            *to = 0xFF;
            Unsafe.WriteUnaligned(to + 1, BinaryPrimitives.ReverseEndianness(value));
            return to + size;
        }
        // The 1 bits of the first byte and the value below them, turned so that the first byte is the lowest of the word.
        ulong bytes = BinaryPrimitives.ReverseEndianness((value | ~(ulong.MaxValue >> (size - 1)) >> (64 - 8 * size)) << (64 - 8 * size));
        if (size >= sizeof(uint))
        {
            Unsafe.WriteUnaligned(to, (uint)bytes);
            Unsafe.WriteUnaligned(to + size - sizeof(uint), (uint)(bytes >> (8 * size - 32)));
        }
        else
        {
            Unsafe.WriteUnaligned(to, (ushort)bytes);
            to[size - 1] = (byte)(bytes >> (8 * size - 8));
        }
        return to + size;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Decoded ReadLong(ReadOnlySpan<byte> source)
    {
        if (source.IsEmpty) return new(0, Decoded.NeedMoreData);
        ref byte from = ref MemoryMarshal.GetReference(source);
        int size = 1 + BitOperations.LeadingZeroCount(~((uint)from << 24));
        ulong value = source.Length >= MaxSize ? ReadWord(ref from, size) : ReadShort(source, size);
        if (size < MaxSize) value &= ulong.MaxValue >> (64 - 7 * size);
        if (Size(value) != size) return new(0, Decoded.InvalidData);
        return new(value, source.Length < size ? Decoded.NeedMoreData : size);
    }

    private static ulong ReadWord(ref byte from, int size) =>
        size == MaxSize ? Load(ref Unsafe.Add(ref from, 1)) : Load(ref from) >> (64 - 8 * size);

    private static ulong Load(ref byte from) => BinaryPrimitives.ReverseEndianness(Unsafe.ReadUnaligned<ulong>(ref from));

    // Missing bytes are taken as FF. If the value is overlong even so, it is invalid whatever follows.
    private static ulong ReadShort(ReadOnlySpan<byte> source, int size)
    {
        ulong value = 0;
        for (int i = 0; i < size; i++) value = value << 8 | (i < source.Length ? source[i] : 0xFFu);
        return value;
    }
}
