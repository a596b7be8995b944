namespace MemPrims.Codecs;

/// <summary>
/// Parts of composite keys. Comparing the bytes of two parts (memcmp) orders them as their values. No part is the beginning of another
/// part of its kind. So a key of several parts, one after the other, is ordered by its first part, then by the second, and so on.
/// <code>
/// unsigned    a SortableUInt
/// signed ≥ 0  80, then the value as a SortableUInt
/// signed &lt; 0  7F, then −value − 1 as a SortableUInt with all bits inverted
/// double      8 bytes, high byte first. Of a positive number the sign bit is inverted, of a negative one all bits are.
///             −0 is written as 0. All NaNs are written alike, and come after +∞.
/// block       its bytes, with 00 FF for each 00, then 00 01
/// text        its UTF-8 bytes, written as a block: texts are ordered by code points
/// descending  any of these with all bits inverted
/// </code>
/// Each value has one form. A read refuses any other bytes. A write to a destination that is too short is an
/// <see cref="ArgumentException"/>, and writes nothing.
/// </summary>
public static unsafe class SortableKey
{
    /// <summary>The most bytes that a signed number takes.</summary>
    public const int MaxSizeOfInt = 1 + SortableUInt.MaxSize;

    /// <summary>How many bytes a double takes.</summary>
    public const int SizeOfDouble = sizeof(double);

    private const long PositiveNaN = 0x7FF8_0000_0000_0000;

    private const byte NotNegative = 0x80, Negative = 0x7F, Zero = 0x00, Escape = 0xFF, End = 0x01;

    /// <summary>Writes an unsigned number; returns the bytes it took.</summary>
    public static int WriteUInt(Span<byte> destination, ulong value, bool descending = false) =>
        Turn(destination, SortableUInt.Write(destination, value), descending);

    /// <summary>Reads an unsigned number.</summary>
    public static OperationStatus ReadUInt(ReadOnlySpan<byte> source, out ulong value, out int consumed, bool descending = false)
    {
        if (!descending) return SortableUInt.Read(source, out value, out consumed);
        Span<byte> bytes = stackalloc byte[SortableUInt.MaxSize];
        int length = Math.Min(source.Length, bytes.Length);
        source[..length].CopyTo(bytes);
        Invert(bytes[..length]);
        return SortableUInt.Read(bytes[..length], out value, out consumed);
    }

    /// <summary>How many bytes a block takes.</summary>
    public static long SizeOfBlock(ReadOnlySpan<byte> block) => block.Length + (long)block.Count(Zero) + 2;

    /// <summary>Writes a signed number; returns the bytes it took.</summary>
    public static int WriteInt(Span<byte> destination, long value, bool descending = false)
    {
        ulong magnitude = (ulong)(value < 0 ? ~value : value);
        int size = 1 + SortableUInt.Size(magnitude);
        if (destination.Length < size) return CodecErrors.ThrowDestinationTooShort(destination.Length, size);
        destination[0] = value < 0 ? Negative : NotNegative;
        SortableUInt.Write(destination[1..], magnitude);
        if (value < 0) Invert(destination[1..size]);
        return Turn(destination, size, descending);
    }

    /// <summary>Reads a signed number.</summary>
    public static OperationStatus ReadInt(ReadOnlySpan<byte> source, out long value, out int consumed, bool descending = false)
    {
        value = consumed = 0;
        Span<byte> bytes = stackalloc byte[MaxSizeOfInt];
        int length = Math.Min(source.Length, bytes.Length);
        if (length == 0) return OperationStatus.NeedMoreData;
        source[..length].CopyTo(bytes);
        if (descending) Invert(bytes[..length]);
        bool negative = bytes[0] == Negative;
        if (!negative && bytes[0] != NotNegative) return OperationStatus.InvalidData;
        if (negative) Invert(bytes[1..length]);
        OperationStatus status = SortableUInt.Read(bytes[1..length], out ulong magnitude, out int size);
        if (status != OperationStatus.Done) return status;
        if (magnitude > long.MaxValue) return OperationStatus.InvalidData;
        value = negative ? ~(long)magnitude : (long)magnitude;
        consumed = 1 + size;
        return OperationStatus.Done;
    }

    /// <summary>Writes a double; returns the 8 bytes it took. A float is written as the double that it equals.</summary>
    public static int WriteDouble(Span<byte> destination, double value, bool descending = false)
    {
        if (destination.Length < SizeOfDouble) return CodecErrors.ThrowDestinationTooShort(destination.Length, SizeOfDouble);
        // Adding zero makes 0 of −0.
        long bits = BitConverter.DoubleToInt64Bits(double.IsNaN(value) ? BitConverter.Int64BitsToDouble(PositiveNaN) : value + 0.0);
        BinaryPrimitives.WriteInt64BigEndian(destination, bits ^ (bits >> 63 | long.MinValue));
        return Turn(destination, SizeOfDouble, descending);
    }

    /// <summary>Reads a double.</summary>
    public static OperationStatus ReadDouble(ReadOnlySpan<byte> source, out double value, out int consumed, bool descending = false)
    {
        value = consumed = 0;
        if (source.Length < SizeOfDouble) return OperationStatus.NeedMoreData;
        long sortable = BinaryPrimitives.ReadInt64BigEndian(source) ^ (descending ? -1 : 0);
        double read = BitConverter.Int64BitsToDouble(sortable ^ (~sortable >> 63 | long.MinValue));
        Span<byte> again = stackalloc byte[SizeOfDouble];
        WriteDouble(again, read, descending);
        if (!again.SequenceEqual(source[..SizeOfDouble])) return OperationStatus.InvalidData;
        value = read;
        consumed = SizeOfDouble;
        return OperationStatus.Done;
    }

    /// <summary>Writes a block; returns the bytes it took.</summary>
    public static int WriteBlock(Span<byte> destination, ReadOnlySpan<byte> block, bool descending = false)
    {
        long size = SizeOfBlock(block);
        if (destination.Length < size) return CodecErrors.ThrowDestinationTooShort(destination.Length, size);
        int at = 0;
        while (block.IndexOf(Zero) is var zero && zero >= 0)
        {
            block[..zero].CopyTo(destination[at..]);
            destination[at + zero] = Zero;
            destination[at + zero + 1] = Escape;
            at += zero + 2;
            block = block[(zero + 1)..];
        }
        block.CopyTo(destination[at..]);
        destination[at + block.Length] = Zero;
        destination[at + block.Length + 1] = End;
        return Turn(destination, (int)size, descending);
    }

    /// <summary>
    /// Reads a block into <paramref name="destination"/>, or answers <see cref="OperationStatus.DestinationTooSmall"/>. A destination as
    /// long as the source always suffices.
    /// </summary>
    public static OperationStatus ReadBlock(ReadOnlySpan<byte> source, Span<byte> destination, out int consumed, out int written,
        bool descending = false)
    {
        byte flip = descending ? (byte)0xFF : (byte)0;
        written = consumed = 0;
        int at = 0, to = 0;
        while (true)
        {
            int run = source[at..].IndexOf((byte)(Zero ^ flip));
            int plain = run < 0 ? source.Length - at : run;
            if (plain > destination.Length - to) return OperationStatus.DestinationTooSmall;
            source.Slice(at, plain).CopyTo(destination[to..]);
            if (descending) Invert(destination.Slice(to, plain));
            at += plain;
            to += plain;
            if (run < 0 || at + 1 >= source.Length) return OperationStatus.NeedMoreData;
            byte next = (byte)(source[at + 1] ^ flip);
            at += 2;
            if (next == End)
            {
                written = to;
                consumed = at;
                return OperationStatus.Done;
            }
            if (next != Escape) return OperationStatus.InvalidData;
            if (to == destination.Length) return OperationStatus.DestinationTooSmall;
            destination[to++] = Zero;
        }
    }

    /// <summary>How many bytes a text takes.</summary>
    /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
    public static long SizeOfText(ReadOnlySpan<char> text) => Utf8Text.Size(text) + (long)text.Count('\0') + 2;

    /// <summary>
    /// Writes a text; returns the bytes it took. The last two end it. Without them they are the prefix of all texts that begin with this
    /// one, for SortedTree.ScanPrefix; with them, of this text alone.
    /// </summary>
    /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
    public static int WriteText(Span<byte> destination, ReadOnlySpan<char> text, bool descending = false)
    {
        long size = SizeOfText(text);
        if (destination.Length < size) return CodecErrors.ThrowDestinationTooShort(destination.Length, size);
        int plain = Utf8Text.Size(text);
        fixed (byte* to = destination) Utf8Text.Write(to, plain, text);
        // The bytes move up to make room for the escapes. Moving the last one first overwrites nothing that is still to be moved.
        int from = plain, at = (int)size;
        destination[--at] = End;
        destination[--at] = Zero;
        while (from < at)
        {
            byte next = destination[--from];
            if (next == Zero) destination[--at] = Escape;
            destination[--at] = next;
        }
        return Turn(destination, (int)size, descending);
    }

    /// <summary>Reads a text.</summary>
    public static OperationStatus ReadText(ReadOnlySpan<byte> source, out string? text, out int consumed, bool descending = false)
    {
        text = null;
        // The first 00 01 is the end, since each 00 inside is followed by FF. Where it lies tells how much room the text needs at most.
        ReadOnlySpan<byte> end = descending ? [0xFF, 0xFE] : [Zero, End];
        int stop = source.IndexOf(end), needed = stop < 0 ? source.Length : stop;
        byte[] room = ArrayPool<byte>.Shared.Rent(needed);
        ReadOnlySpan<byte> part = stop < 0 ? source : source[..(stop + 2)];
        OperationStatus status = ReadBlock(part, room.AsSpan(0, needed), out consumed, out int size, descending);
        if (status == OperationStatus.Done)
        {
            text = Utf8Text.Read(room.AsSpan(0, size));
            if (text is null) (status, consumed) = (OperationStatus.InvalidData, 0);
        }
        ArrayPool<byte>.Shared.Return(room);
        return status;
    }

    private static int Turn(Span<byte> destination, int size, bool descending)
    {
        if (descending) Invert(destination[..size]);
        return size;
    }

    private static void Invert(Span<byte> bytes)
    {
        foreach (ref byte b in bytes) b = (byte)~b;
    }
}
