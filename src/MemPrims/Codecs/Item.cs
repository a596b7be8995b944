using System.Buffers;

namespace MemPrims.Codecs;

/// <summary>
/// What records have besides numbers: bytes, booleans, and blocks and texts behind their length.
/// <code>
/// byte       itself
/// boolean    00 or 01; any other byte is refused
/// block      its length, a <see cref="PackedLength"/>, then its bytes
/// text       the same with its UTF-8 bytes; what is not UTF-8 is refused
/// </code>
/// As with numbers, a read that fails consumes nothing. Its status says whether the source ends too soon or is wrong.
/// </summary>
public static unsafe class Item
{
    /// <summary>Writes a byte; returns 1, the bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is empty.</exception>
    public static int WriteByte(Span<byte> destination, byte value)
    {
        if (destination.IsEmpty) CodecErrors.DestinationTooShort(0, 1);
        destination[0] = value;
        return 1;
    }

    /// <summary>Reads a byte.</summary>
    public static OperationStatus ReadByte(ReadOnlySpan<byte> source, out byte value, out int consumed)
    {
        bool any = !source.IsEmpty;
        value = any ? source[0] : (byte)0;
        consumed = any ? 1 : 0;
        return any ? OperationStatus.Done : OperationStatus.NeedMoreData;
    }

    /// <summary>Writes a boolean; returns 1, the bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is empty.</exception>
    public static int WriteBoolean(Span<byte> destination, bool value) => WriteByte(destination, value ? (byte)1 : (byte)0);

    /// <summary>Reads a boolean.</summary>
    public static OperationStatus ReadBoolean(ReadOnlySpan<byte> source, out bool value, out int consumed)
    {
        OperationStatus status = ReadByte(source, out byte read, out consumed);
        value = read == 1;
        if (read <= 1) return status;
        consumed = 0;
        return OperationStatus.InvalidData;
    }

    /// <summary>How many bytes a block takes together with its length.</summary>
    public static long SizeOfBlock(ReadOnlySpan<byte> block) => PackedLength.Size((ulong)block.Length) + (long)block.Length;

    /// <summary>Writes a block behind its length; returns the bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing was written.</exception>
    public static int WriteBlock(Span<byte> destination, ReadOnlySpan<byte> block) =>
        TryWriteBlock(destination, block, out int written) ? written : CodecErrors.DestinationTooShort(destination.Length,
            SizeOfBlock(block));

    /// <summary>Writes a block behind its length. If the destination is too short, it writes nothing and returns false.</summary>
    public static bool TryWriteBlock(Span<byte> destination, ReadOnlySpan<byte> block, out int written)
    {
        written = 0;
        if (SizeOfBlock(block) > destination.Length) return false;
        int prefix = PackedLength.Size((ulong)block.Length);
        // The block is copied before its length is written: it may lie in the destination, where the length goes.
        Block.Copy(destination[prefix..], block);
        PackedLength.Write(destination, (ulong)block.Length);
        written = prefix + block.Length;
        return true;
    }

    /// <summary>Finds the block that the source begins with, without a copy.</summary>
    public static OperationStatus ReadBlock(ReadOnlySpan<byte> source, out ReadOnlySpan<byte> block, out int consumed)
    {
        block = default;
        OperationStatus status = PackedLength.Read(source, out ulong length, out consumed);
        int prefix = consumed;
        consumed = 0;
        if (status != OperationStatus.Done) return status;
        // No span can ever have so many bytes.
        if (length > (ulong)(int.MaxValue - prefix)) return OperationStatus.InvalidData;
        if (length > (ulong)(source.Length - prefix)) return OperationStatus.NeedMoreData;
        block = source.Slice(prefix, (int)length);
        consumed = prefix + (int)length;
        return OperationStatus.Done;
    }

    /// <summary>How many bytes a text takes together with its length.</summary>
    /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
    public static long SizeOfText(ReadOnlySpan<char> text)
    {
        int size = Utf8Text.Size(text);
        return PackedLength.Size((ulong)size) + (long)size;
    }

    /// <summary>Writes a text behind its length; returns the bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is too short, or the text has half of a surrogate pair; nothing was
    /// written.</exception>
    public static int WriteText(Span<byte> destination, ReadOnlySpan<char> text) =>
        TryWriteText(destination, text, out int written) ? written : CodecErrors.DestinationTooShort(destination.Length, SizeOfText(text));

    /// <summary>Writes a text behind its length. If the destination is too short, it writes nothing and returns false.</summary>
    /// <exception cref="ArgumentException">The text has half of a surrogate pair; nothing was written.</exception>
    public static bool TryWriteText(Span<byte> destination, ReadOnlySpan<char> text, out int written)
    {
        int size = Utf8Text.Size(text), prefix = PackedLength.Size((ulong)size);
        written = 0;
        if ((long)prefix + size > destination.Length) return false;
        PackedLength.Write(destination, (ulong)size);
        fixed (byte* to = destination) Utf8Text.Write(to + prefix, size, text);
        written = prefix + size;
        return true;
    }

    /// <summary>Reads the text that the source begins with.</summary>
    public static OperationStatus ReadText(ReadOnlySpan<byte> source, out string? text, out int consumed)
    {
        OperationStatus status = ReadBlock(source, out ReadOnlySpan<byte> block, out consumed);
        text = status == OperationStatus.Done ? Utf8Text.Read(block) : null;
        if (status != OperationStatus.Done || text is not null) return status;
        consumed = 0;
        return OperationStatus.InvalidData;
    }
}
