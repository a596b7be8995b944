namespace MemPrims.Codecs;

/// <summary>
/// Many 32-bit numbers in the layout of Stream VByte, which is made for decoding in bulk: all lengths first, then the bytes.
/// <code>
/// control   ⌈count / 4⌉ bytes    two bits a number, low bits first: its length − 1. Bits past the last number are 0.
/// data      1 to 4 bytes each    little-endian, as few as the number needs, one after the other
/// </code>
/// The count is not written. The caller keeps it, and reads with a span of that length.
/// Each batch has one form. A number in more bytes than it needs is refused as overlong. Control bits past the last number are refused.
///
/// Four numbers take one table look-up and one shuffle, on every vector tier, and the check for overlong ones is part of it.
/// </summary>
public readonly unsafe struct UIntBatch
{
    private const int Group = 4, MaxBytes = sizeof(uint);

    // The most bytes of a batch, 4 1/4 for each number, must fit an int.
    private const int MaxCount = (int)((long)int.MaxValue * Group / (Group * MaxBytes + 1)) & ~(Group - 1);

    /// <summary>The most bytes that a batch of <paramref name="count"/> numbers takes.</summary>
    public static int MaxSize(int count)
    {
        if ((uint)count > MaxCount) CodecErrors.CountOutOfRange(count, MaxCount);
        return ControlSize(count) + count * MaxBytes;
    }

    /// <summary>How many bytes a batch of these numbers takes.</summary>
    public static long Size(ReadOnlySpan<uint> values)
    {
        long size = ControlSize(values.Length);
        foreach (uint value in values) size += SizeOf(value);
        return size;
    }

    /// <summary>
    /// Writes a batch of all the values. If it does not fit, nothing is written, and the answer is
    /// <see cref="OperationStatus.DestinationTooSmall"/>. Bytes of the destination past <paramref name="written"/> may be overwritten.
    /// </summary>
    public static OperationStatus WriteMany(ReadOnlySpan<uint> values, Span<byte> destination, out int count, out int written)
    {
        count = 0;
        written = 0;
        // The exact size is counted only if the largest possible one does not fit.
        if (MostSize(values.Length) > destination.Length && Size(values) > destination.Length) return OperationStatus.DestinationTooSmall;
        fixed (uint* from = values)
        fixed (byte* to = destination)
            written = (int)(UIntBatchWriter.Write(from, values.Length, to, to + ControlSize(values.Length), to + destination.Length) - to);
        count = values.Length;
        return OperationStatus.Done;
    }

    /// <summary>
    /// Reads a batch of as many numbers as <paramref name="values"/> has room for. If the source ends first, the answer is
    /// <see cref="OperationStatus.NeedMoreData"/>. Then <paramref name="count"/> is how many numbers are whole, and
    /// <paramref name="consumed"/> where they end. The rest cannot be read from there, since its lengths are at the beginning. When more
    /// bytes have come, read the batch again from its beginning.
    /// </summary>
    public static OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<uint> values, out int consumed, out int count)
    {
        consumed = 0;
        count = 0;
        int control = ControlSize(values.Length);
        if (source.Length < control) return OperationStatus.NeedMoreData;
        if (values.IsEmpty) return OperationStatus.Done;
        fixed (byte* from = source)
        fixed (uint* to = values)
        {
            byte* data = from + control, end = from + source.Length;
            if (Vector128.IsHardwareAccelerated) count = UIntBatchReader.ReadSixteens(from, ref data, end, to, values.Length);
            OperationStatus status = UIntBatchReader.ReadRest(from, ref data, end, to, values.Length, ref count);
            consumed = count == 0 ? 0 : (int)(data - from);
            return status;
        }
    }

    private static int ControlSize(int count) => (int)(((long)count + Group - 1) / Group);

    private static long MostSize(int count) => ControlSize(count) + (long)count * MaxBytes;

    internal static int SizeOf(uint value) => (BitOperations.Log2(value | 1) >> 3) + 1;
}
