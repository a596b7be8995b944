using System.Buffers;
using System.Numerics;
using System.Runtime.Intrinsics;

namespace MemPrims.Codecs;

/// <summary>
/// Many 32-bit numbers in a layout made for decoding in bulk, that of Stream VByte: the lengths first, then the bytes.
/// <code>
/// control   ⌈count / 4⌉ bytes    two bits a number, low bits first: its length − 1. Bits past the last number are 0.
/// data      1 to 4 bytes each    little-endian, as few as the number needs, one after the other
/// </code>
/// The count is not part of it: the caller keeps it, and hands ReadMany a span of so many.
/// Each batch has one form: a number in more bytes than it needs is refused as overlong, and so are control bits past the last number.
///
/// Four numbers are one table look-up and one shuffle, on every vector tier; the check for overlong ones goes along with it.
/// </summary>
public static unsafe class UIntBatch
{
    private const int Group = 4, MaxBytes = sizeof(uint);

    // 4 1/4 bytes a number must stay an int.
    private const int MaxCount = (int)((long)int.MaxValue * Group / (Group * MaxBytes + 1)) & ~(Group - 1);

    /// <summary>The most bytes that a batch of so many numbers takes.</summary>
    public static int MaxSize(int count)
    {
        if ((uint)count > MaxCount) CodecErrors.CountOutOfRange(count, MaxCount);
        return ControlSize(count) + count * MaxBytes;
    }

    /// <summary>The bytes that a batch of these numbers takes.</summary>
    public static long Size(ReadOnlySpan<uint> values)
    {
        long size = ControlSize(values.Length);
        foreach (uint value in values) size += SizeOf(value);
        return size;
    }

    /// <summary>
    /// Writes a batch of all the values, or, where it does not fit, nothing: then the answer is
    /// <see cref="OperationStatus.DestinationTooSmall"/>. Bytes of the destination past <paramref name="written"/> may have been
    /// overwritten.
    /// </summary>
    public static OperationStatus WriteMany(ReadOnlySpan<uint> values, Span<byte> destination, out int count, out int written)
    {
        count = 0;
        written = 0;
        // The exact size is counted only where the largest would not fit.
        if (MostSize(values.Length) > destination.Length && Size(values) > destination.Length) return OperationStatus.DestinationTooSmall;
        fixed (uint* from = values)
        fixed (byte* to = destination)
            written = (int)(UIntBatchWriter.Write(from, values.Length, to, to + ControlSize(values.Length), to + destination.Length) - to);
        count = values.Length;
        return OperationStatus.Done;
    }

    /// <summary>
    /// Reads a batch of as many numbers as <paramref name="values"/> has room for. Where the source ends first, the answer is
    /// <see cref="OperationStatus.NeedMoreData"/>, <paramref name="count"/> the numbers that are whole, and <paramref name="consumed"/>
    /// the bytes up to the end of them. The rest cannot be read from there, since its lengths are at the beginning: read it all again
    /// when there is more.
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
