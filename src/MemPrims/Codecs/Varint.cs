namespace MemPrims.Codecs;

/// <summary>
/// Unsigned integers as groups of 7 bits, low group first. The high bit of a byte says that more follow. Protobuf,
/// BinaryWriter.Write7BitEncodedInt64 and Xapian's pack_uint write the same bytes. Protobuf's readers also take overlong forms, which are
/// refused here: read protobuf's own messages by MessageReader of the package MemPrims.Wire.
/// <code>
/// value                     bytes
/// 0 … 127                   0vvvvvvv
/// 128 … 16,383              1vvvvvvv 0vvvvvvv
/// …
/// 2^63 … 2^64 − 1           1vvvvvvv nine times, then 00000001
/// </code>
/// Each value has one form. A last byte of zero after others is refused as overlong. A tenth byte above 1 is refused, since the value
/// would have more than 64 bits.
/// </summary>
public readonly unsafe partial struct Varint : INumberCodec<Varint>, ICodec<Varint, uint>, ICodec<Varint, int>
{
    /// <summary>The most bytes that a value takes.</summary>
    public const int MaxSize = SevenBitGroups.MaxSize;

    /// <summary>The most bytes that a value of 32 bits takes.</summary>
    public const int MaxSize32 = 5;

    // How many bytes ReadShort loads.
    internal const int ShortReach = sizeof(uint);

    private const ulong Flip = 0;

    static string ICodec<Varint, ulong>.Name => "varint";

    static int ICodec<Varint, ulong>.MaxSize => MaxSize;

    /// <summary>How many bytes <paramref name="value"/> takes, from 1 to <see cref="MaxSize"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(ulong value) => SevenBitGroups.Size(value);

    /// <summary>Writes <paramref name="value"/> and returns how many bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing was written.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, ulong value)
    {
        // The branch is worth it. Without one, values of up to three bytes took 1.36 ns; with it, one byte takes 0.49 and realistic
        // values 1.13.
        if (value < 0x80 && !destination.IsEmpty)
        {
            destination[0] = (byte)value;
            return 1;
        }
        if (value >= 1ul << 7 * MaxSize32 || destination.Length < MaxSize32)
            return NumberCodec.WriteLong<Varint>(destination, value);
        // Two to five bytes, without a branch between them: two bytes, two that may overlap them, the last. They are inlined: in a call
        // they took twice as long ("write, realistic").
        int size = Size(value);
        uint low = (uint)value & 0x3FFF | ((uint)value & 0x0FFF_C000) << 2;
        low = low & 0x007F_007F | (low & 0x3F80_3F80) << 1 | 0x8080_8080u >> (8 * (MaxSize32 - size));
        ulong bytes = low | value >> 28 << 32;
        // 0, 1, 2, and again 2 where there are five bytes.
        int second = size - 2 - (size >> 2 & size & 1);
        ref byte to = ref MemoryMarshal.GetReference(destination);
        Unsafe.WriteUnaligned(ref to, (ushort)bytes);
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref to, second), (ushort)(bytes >> (8 * second)));
        Unsafe.Add(ref to, size - 1) = (byte)(bytes >> (8 * size - 8));
        return size;
    }

    /// <summary>Writes <paramref name="value"/>. If the destination is too short, it writes nothing and returns false.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWrite(Span<byte> destination, ulong value, out int written) =>
        NumberCodec.TryWrite<Varint>(destination, value, out written);

    /// <summary>
    /// Reads the value that the source begins with. <see cref="OperationStatus.NeedMoreData"/>: the source ends before the value does.
    /// <see cref="OperationStatus.InvalidData"/>: Write never produces such bytes. In both cases nothing is consumed.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed)
    {
        if (!source.IsEmpty && source[0] < 0x80)
        {
            value = source[0];
            consumed = 1;
            return OperationStatus.Done;
        }
        if (source.Length >= sizeof(uint))
        {
            // Two or three bytes, without a branch between them. They are inlined: in a call they took twice as long ("strict read,
            // realistic").
            uint bytes = Unsafe.ReadUnaligned<uint>(ref MemoryMarshal.GetReference(source)), third = bytes >> 15 & 1;
            uint low = bytes & 0x7F | (bytes >> 1 & 0x3F80), high = bytes >> 2 & 0x1F_C000 & (0 - third);
            if ((bytes & third << 23) == 0 && (low | high) >> (int)(7 + 7 * third) != 0)
            {
                value = low | high;
                consumed = (int)(2 + third);
                return OperationStatus.Done;
            }
        }
        return Decoded.Answer(ReadLong(source), out value, out consumed);
    }

    // The same for the readers, of a source that has ShortReach bytes. The size is 0 if the varint has more than three bytes, or is not
    // valid.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong ReadShort(ref byte from, out int size)
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

    /// <summary>Reads the value that the source begins with, where bytes that hold none are an exception.</summary>
    /// <exception cref="DamagedDataException">The source ends before the value does, or Write never produces such bytes.</exception>
    public static ulong Read(ReadOnlySpan<byte> source) => Read(source, out _);

    /// <summary>The same, and tells how many bytes the value took.</summary>
    /// <inheritdoc cref="Read(ReadOnlySpan{byte})" path="/exception"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Read(ReadOnlySpan<byte> source, out int consumed)
    {
        OperationStatus status = Read(source, out ulong value, out consumed);
        return status == OperationStatus.Done ? value : throw CodecErrors.NoVarint(status, source.Length);
    }

    /// <summary>Reads a value of at most 32 bits. A greater one is <see cref="OperationStatus.InvalidData"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Read32(ReadOnlySpan<byte> source, out uint value, out int consumed)
    {
        OperationStatus status = Decoded.Answer(Read32(source), out ulong wide, out consumed);
        value = (uint)wide;
        return status;
    }

    /// <summary>Writes <paramref name="value"/> and returns where it ends.</summary>
    /// <remarks>
    /// <para><b>Readable range.</b> Nothing is read. <see cref="Size(ulong)"/> bytes at <paramref name="destination"/> must be writable.
    /// No other is touched.</para>
    /// <para><b>Overlap.</b> There is none.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> The memory must stay where it is until the call returns.</para>
    /// <para><b>Wrong length.</b> Memory past what the caller owns is overwritten.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Write(byte* destination, ulong value)
    {
        if (value >= 0x80) return SevenBitGroups.Write(destination, value, Size(value), Flip);
        *destination = (byte)value;
        return destination + 1;
    }

    // The same where the four bytes from the destination on may be overwritten: up to three are one store, and the third is no branch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* WriteInRoom(byte* destination, ulong value)
    {
        if (value < 0x80)
        {
            *destination = (byte)value;
            return destination + 1;
        }
        if (value >= 1ul << 21) return SevenBitGroups.Write(destination, value, Size(value), Flip);
        uint low = (uint)value, third = low >= 1u << 14 ? 1u : 0;
        Unsafe.WriteUnaligned(destination, low & 0x7F | 0x80 | (low & 0x3F80) << 1 | third << 15 | low >> 14 << 16);
        return destination + 2 + third;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Decoded ReadLong(ReadOnlySpan<byte> source) =>
        SevenBitGroups.Read(ref MemoryMarshal.GetReference(source), source.Length, Flip);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Decoded Read32(ReadOnlySpan<byte> source)
    {
        if (!source.IsEmpty && source[0] < 0x80) return new(source[0], 1);
        Decoded read = ReadLong(source);
        // The fifth byte says that more follow. So the value is overlong or has more than 32 bits, whatever follows.
        bool isBeyond = read.Length == Decoded.NeedMoreData && source.Length >= MaxSize32;
        return read.Value <= uint.MaxValue && !isBeyond ? read : new(0, Decoded.InvalidData);
    }
}
