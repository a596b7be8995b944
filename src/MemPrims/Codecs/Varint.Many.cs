using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Codecs;

// Spans of 32-bit values. The vector routines take whole blocks and stop before one that has something wrong in it or reaches the end of
// either span; the scalar loop does the rest, and so finds the very value that is wrong.
public static unsafe partial class Varint
{
    /// <summary>
    /// Writes the values that fit. <see cref="OperationStatus.DestinationTooSmall"/>: only the first <paramref name="count"/> did.
    /// Bytes of the destination past <paramref name="written"/> may have been overwritten.
    /// </summary>
    [OverloadResolutionPriority(1)] // An empty literal is a list of 32-bit values.
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
    /// Fills <paramref name="values"/>: <see cref="OperationStatus.Done"/> when it is full, whether or not the source goes on;
    /// <see cref="OperationStatus.NeedMoreData"/> when the source ends first; <see cref="OperationStatus.InvalidData"/> at a value that
    /// is overlong or greater than 32 bits. In each case <paramref name="count"/> values, those before, were read from
    /// <paramref name="consumed"/> bytes. Elements past <paramref name="count"/> may have been overwritten.
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
            while (next < last && (length = TryRead32(at, end, next)) > 0)
            {
                at += length;
                next++;
            }
            consumed = (int)(at - from);
            count = (int)(next - to);
            return length > 0 ? OperationStatus.Done : length == Decoded.NeedMoreData ? OperationStatus.NeedMoreData
                : OperationStatus.InvalidData;
        }
    }

    // By vectors, as far as they go.
    private static void ReadBlocks(ref byte* source, byte* end, ref uint* values, uint* last)
    {
        if (VarintCompress.IsSupported) VarintCompress.Read(ref source, end, ref values, last);
        else if (Vector128.IsHardwareAccelerated) VarintShuffle.Read(ref source, end, ref values, last);
    }

    /// <summary>Reads one value; its length, or what a <see cref="Decoded"/> has instead.</summary>
    internal static int TryRead32(byte* from, byte* end, uint* to)
    {
        Decoded read = Read32(new ReadOnlySpan<byte>(from, (int)(end - from)));
        *to = (uint)read.Value;
        return read.Length;
    }
}
