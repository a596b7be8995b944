using System.Buffers;
using System.Buffers.Binary;

namespace MemPrims.Buffers;

/// <summary>
/// A payload behind its length, its checksum and its position: what logs are made of.
/// <code>
/// 0    length of the payload, 4 bytes, little-endian
/// 4    CRC-32C of the bytes 0 to 3, of the position and of the payload, from the seed of the log; 4 bytes
/// 8    position: where the frame begins, counted from the beginning of the log; 8 bytes
/// 16   payload
/// </code>
/// The position is under the checksum. A frame that was put in another's place, or is left over from another place, is found out, where a
/// CRC alone sees nothing: it does not see a part that ends with its own CRC exchanged for another such part. The seed does the same
/// between logs: give each its own, so that what an older log left in a file that is used again does not count.
/// </summary>
public static class Frame
{
    /// <summary>The bytes before the payload.</summary>
    public const int HeaderSize = 16;

    /// <summary>The longest payload.</summary>
    public const int MaxPayload = int.MaxValue - HeaderSize;

    /// <summary>Writes a frame; returns the bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing was written.</exception>
    public static int Write(Span<byte> destination, ReadOnlySpan<byte> payload, long position, uint seed = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        if (destination.Length < (long)HeaderSize + payload.Length) BufferErrors.FrameDoesNotFit(destination.Length, payload.Length);
        Block.Copy(destination[HeaderSize..], payload);
        // Of the copy, not of the source: what is checked is what was written, even if somebody changes the source meanwhile.
        WriteHeader(destination, destination.Slice(HeaderSize, payload.Length), position, seed);
        return HeaderSize + payload.Length;
    }

    /// <summary>Writes the 16 bytes before a payload that is written behind them.</summary>
    public static void WriteHeader(Span<byte> header, ReadOnlySpan<byte> payload, long position, uint seed = 0)
    {
        BinaryPrimitives.WriteInt32LittleEndian(header, payload.Length);
        BinaryPrimitives.WriteInt64LittleEndian(header[8..], position);
        BinaryPrimitives.WriteUInt32LittleEndian(header[4..], Sum(header, payload, seed));
    }

    /// <summary>
    /// Finds the payload of the frame that the source begins with, where it lies. <see cref="OperationStatus.NeedMoreData"/>: the frame
    /// goes on behind the end of the source, if its length is to be believed; <see cref="OperationStatus.InvalidData"/>: no frame of this
    /// position and seed begins here.
    /// </summary>
    public static OperationStatus Read(ReadOnlySpan<byte> source, long position, out ReadOnlySpan<byte> payload, out int consumed,
        uint seed = 0)
    {
        payload = default;
        consumed = 0;
        OperationStatus status = ReadHeader(source, position, out int length);
        if (status != OperationStatus.Done) return status;
        if (source.Length - HeaderSize < length) return OperationStatus.NeedMoreData;
        ReadOnlySpan<byte> found = source.Slice(HeaderSize, length);
        if (Sum(source, found, seed) != BinaryPrimitives.ReadUInt32LittleEndian(source[4..])) return OperationStatus.InvalidData;
        payload = found;
        consumed = HeaderSize + length;
        return OperationStatus.Done;
    }

    /// <summary>The length that a header tells, if it is one of this position. The checksum has not been looked at.</summary>
    internal static OperationStatus ReadHeader(ReadOnlySpan<byte> source, long position, out int length)
    {
        length = 0;
        if (source.Length < HeaderSize) return OperationStatus.NeedMoreData;
        length = BinaryPrimitives.ReadInt32LittleEndian(source);
        return (uint)length <= MaxPayload && BinaryPrimitives.ReadInt64LittleEndian(source[8..]) == position ? OperationStatus.Done
            : OperationStatus.InvalidData;
    }

    /// <summary>The sum of what stands under the checksum before the payload.</summary>
    internal static uint SumOfHeader(ReadOnlySpan<byte> header, uint seed) => Checksum.Crc32C(header.Slice(8, 8),
        Checksum.Crc32C(header[..4], seed));

    private static uint Sum(ReadOnlySpan<byte> header, ReadOnlySpan<byte> payload, uint seed) => Checksum.Crc32C(payload,
        SumOfHeader(header, seed));
}
