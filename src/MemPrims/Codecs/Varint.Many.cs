namespace MemPrims.Codecs;

// Spans of 32-bit values. The vector routines take whole blocks. They stop before a block that has something wrong in it or reaches the
// end of a span. The scalar loop does the rest, and finds the value that is wrong.
public readonly unsafe partial struct Varint
{
    /// <summary>
    /// Writes as many values as fit. <see cref="OperationStatus.DestinationTooSmall"/>: only the first <paramref name="count"/> did.
    /// Bytes of the destination past <paramref name="written"/> may be overwritten.
    /// </summary>
    [OverloadResolutionPriority(1)] // Without it, an empty literal would be ambiguous.
    public static OperationStatus WriteMany(ReadOnlySpan<uint> values, Span<byte> destination, out int count, out int written)
    {
        fixed (uint* from = values)
        fixed (byte* to = destination)
        {
            uint* next = from, last = from + values.Length;
            byte* at = to, end = to + destination.Length;
            if (VarintCompress.IsSupported) VarintCompress.Write(ref next, last, ref at, end);
            else if (Vector128.IsHardwareAccelerated) VarintShuffle.Write(ref next, last, ref at, end);
            while (next < last && (end - at >= MaxSize32 || end - at >= Size(*next))) at = Write(at, *next++);
            count = (int)(next - from);
            written = (int)(at - to);
            return next == last ? OperationStatus.Done : OperationStatus.DestinationTooSmall;
        }
    }

    /// <summary>
    /// Fills <paramref name="values"/>. <see cref="OperationStatus.Done"/>: it is full; the source may go on.
    /// <see cref="OperationStatus.NeedMoreData"/>: the source ended first. <see cref="OperationStatus.InvalidData"/>: a value is overlong
    /// or has more than 32 bits. In each case the <paramref name="count"/> values before were read, from <paramref name="consumed"/>
    /// bytes. Elements past <paramref name="count"/> may be overwritten.
    /// </summary>
    [OverloadResolutionPriority(1)]
    public static OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<uint> values, out int consumed, out int count)
    {
        fixed (byte* from = source)
        fixed (uint* to = values)
        {
            byte* at = from, end = from + source.Length;
            uint* next = to, last = to + values.Length;
            ReadBlocks(ref at, end, ref next, last);
            int length = 1;
            while (next < last)
            {
                // Short lists never get to the vectors, and most of their values have one byte. Others are a call.
                if (at < end && *at < 0x80)
                {
                    *next++ = *at++;
                    continue;
                }
                if ((length = TryRead32(at, end, next)) <= 0) break;
                at += length;
                next++;
            }
            consumed = (int)(at - from);
            count = (int)(next - to);
            return length > 0 ? OperationStatus.Done : length == Decoded.NeedMoreData ? OperationStatus.NeedMoreData
                : OperationStatus.InvalidData;
        }
    }

    // Reads as many values as the vector routines can.
    private static void ReadBlocks(ref byte* source, byte* end, ref uint* values, uint* last)
    {
        if (VarintCompress.IsSupported) VarintCompress.Read(ref source, end, ref values, last);
        else if (Vector128.IsHardwareAccelerated) VarintShuffle.Read(ref source, end, ref values, last);
    }

    // Reads one value. Returns its length, or a constant of Decoded.
    internal static int TryRead32(byte* from, byte* end, uint* to)
    {
        Decoded read = Read32(new ReadOnlySpan<byte>(from, (int)(end - from)));
        *to = (uint)read.Value;
        return read.Length;
    }
}
