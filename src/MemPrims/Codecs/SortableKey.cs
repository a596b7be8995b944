using System.Buffers;
using System.Buffers.Binary;

namespace MemPrims.Codecs;

/// <summary>
/// Parts of keys whose bytes compare, by memcmp, as the values do. No part is the beginning of another part of its kind, so parts are
/// written one behind the other, and such a composite key orders by the first part, then by the second, and so on.
/// <code>
/// signed     its SortableUInt, when not negative, behind 80; else behind 7F, with all bits of that of −value−1 inverted
/// double     8 bytes, high first: the sign bit inverted, and of a negative number all bits. −0 is written as 0, every NaN as one,
/// behind +∞
/// block      its bytes, 00 written as 00 FF, and then 00 01
/// text       the same with its UTF-8 bytes: ordinal order by code point
/// descending any of these with all bits inverted
/// </code>
/// Unsigned numbers are <see cref="SortableUInt"/>. Each value has one form, and a read refuses the others.
/// </summary>
public static unsafe class SortableKey
{
    /// <summary>The most bytes that a signed number takes.</summary>
    public const int MaxSizeOfInt = 1 + SortableUInt.MaxSize;

    /// <summary>The bytes that a double takes.</summary>
    public const int SizeOfDouble = sizeof(double);

    private const long PositiveNaN = 0x7FF8_0000_0000_0000;

    private const byte NotNegative = 0x80, Negative = 0x7F, Zero = 0x00, Escape = 0xFF, End = 0x01;

    /// <summary>The bytes that a block takes.</summary>
    public static long SizeOfBlock(ReadOnlySpan<byte> block) => block.Length + (long)block.Count(Zero) + 2;

    /// <summary>Writes a signed number; returns the bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing was written.</exception>
    public static int WriteInt(Span<byte> destination, long value, bool descending = false)
    {
        ulong magnitude = (ulong)(value < 0 ? ~value : value);
        int size = 1 + SortableUInt.Size(magnitude);
        if (destination.Length < size) return CodecErrors.DestinationTooShort(destination.Length, size);
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
    /// <exception cref="ArgumentException">The destination is too short; nothing was written.</exception>
    public static int WriteDouble(Span<byte> destination, double value, bool descending = false)
    {
        if (destination.Length < SizeOfDouble) return CodecErrors.DestinationTooShort(destination.Length, SizeOfDouble);
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
    /// <exception cref="ArgumentException">The destination is too short; nothing was written.</exception>
    public static int WriteBlock(Span<byte> destination, ReadOnlySpan<byte> block, bool descending = false)
    {
        long size = SizeOfBlock(block);
        if (destination.Length < size) return CodecErrors.DestinationTooShort(destination.Length, size);
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
    /// Reads a block into <paramref name="destination"/>. <see cref="OperationStatus.DestinationTooSmall"/> where it does not fit: no
    /// block is longer than the bytes that it was read from.
    /// </summary>
    public static OperationStatus ReadBlock(ReadOnlySpan<byte> source, Span<byte> destination, out int written, out int consumed,
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

    /// <summary>The bytes that a text takes.</summary>
    /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
    public static long SizeOfText(ReadOnlySpan<char> text) => Utf8Text.Size(text) + (long)text.Count('\0') + 2;

    /// <summary>Writes a text; returns the bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is too short, or the text has half of a surrogate pair; nothing was
    /// written.</exception>
    public static int WriteText(Span<byte> destination, ReadOnlySpan<char> text, bool descending = false)
    {
        long size = SizeOfText(text);
        if (destination.Length < size) return CodecErrors.DestinationTooShort(destination.Length, size);
        int plain = Utf8Text.Size(text);
        fixed (byte* to = destination) Utf8Text.Write(to, plain, text);
        // From the end, so that nothing is moved over what is still to be moved.
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
    public static OperationStatus ReadText(ReadOnlySpan<byte> source, out string? text, out int consumed, bool descending = false) =>
        ReadText(source, int.MaxValue, out text, out consumed, descending);

    /// <summary>Reads a text of at most so many bytes of UTF-8. A longer one is <see cref="OperationStatus.InvalidData"/>.</summary>
    internal static OperationStatus ReadText(ReadOnlySpan<byte> source, int most, out string? text, out int consumed, bool descending)
    {
        text = null;
        // The end is 00 01, and 00 is followed by nothing else but FF inside: the first pair tells how much room the text needs.
        ReadOnlySpan<byte> end = descending ? [0xFF, 0xFE] : [Zero, End];
        int stop = source.IndexOf(end), needed = Math.Min(stop < 0 ? source.Length : stop, most);
        byte[] room = ArrayPool<byte>.Shared.Rent(needed);
        ReadOnlySpan<byte> part = stop < 0 ? source : source[..(stop + 2)];
        OperationStatus status = ReadBlock(part, room.AsSpan(0, needed), out int size, out consumed, descending);
        // Room for all that there is was not given only where the text is longer than it may be.
        if (status == OperationStatus.DestinationTooSmall) status = OperationStatus.InvalidData;
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
