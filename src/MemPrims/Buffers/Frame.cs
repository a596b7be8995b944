using System.Buffers;
using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

/// <summary>
/// A frame is a payload after a header of 16 bytes with its length, its checksum and its position. Logs are made of frames.
/// <code>
/// 0    length of the payload, 4 bytes, little-endian
/// 4    CRC-32C of the bytes 0 to 3, of the position and of the payload, continued from the seed of the log; 4 bytes
/// 8    position: where the frame begins, counted from the beginning of the log; 8 bytes
/// 16   payload
/// </code>
/// The checksum includes the position, so a frame that lies in another frame's place is noticed. A CRC of the payload alone does not see
/// this if the payload ends with a CRC-32C of its own: all such payloads of one length have the same CRC. The seed does the same for logs.
/// Give each log its own, so that frames of an older log in a file that is used again are not taken for frames of the new one.
/// </summary>
public static class Frame
{
    /// <summary>How many bytes the header has.</summary>
    public const int HeaderSize = 16;

    /// <summary>The longest payload.</summary>
    public const int MaxPayload = int.MaxValue - HeaderSize;

    /// <summary>How many bytes a frame takes, with its header.</summary>
    /// <exception cref="ArgumentOutOfRangeException">No payload has that length.</exception>
    public static int Size(int payloadLength)
    {
        if ((uint)payloadLength > MaxPayload) BufferErrors.PayloadOutOfRange(payloadLength);
        return HeaderSize + payloadLength;
    }

    /// <summary>Writes a frame; returns the bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing was written.</exception>
    public static unsafe int Write(Span<byte> destination, ReadOnlySpan<byte> payload, long position, uint seed = 0)
    {
        if (destination.Length < (long)HeaderSize + payload.Length) BufferErrors.FrameDoesNotFit(destination.Length, payload.Length);
        if (position < 0) BufferErrors.NegativePosition(position);
        fixed (byte* at = destination) TryWrite(at, at + destination.Length, payload, position, seed);
        return HeaderSize + payload.Length;
    }

    /// <summary>
    /// Finds the payload of the frame that the source begins with, without a copy. <see cref="OperationStatus.NeedMoreData"/>: the source
    /// ends before the frame does, if the length in its header is right. <see cref="OperationStatus.InvalidData"/>: no frame of this
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
        if (Checksum.Crc32C(SumOfHeader(length, position, seed), found) != SumIn(source)) return OperationStatus.InvalidData;
        payload = found;
        consumed = HeaderSize + length;
        return OperationStatus.Done;
    }

    /// <summary>Writes a frame. Returns where it ends, or null if it does not fit or the position is negative.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static unsafe byte* TryWrite(byte* at, byte* end, ReadOnlySpan<byte> payload, long position, uint seed)
    {
        if (end - at < HeaderSize + (long)payload.Length || position < 0) return null;
        // The copy is summed, not the source. So the checksum is right even if another thread changes the source meanwhile.
        Span<byte> copy = new(at + HeaderSize, payload.Length);
        Block.Copy(copy, payload);
        uint sum = Checksum.Crc32C(SumOfHeader(payload.Length, position, seed), copy);
        StoreHeader(new(at, HeaderSize), payload.Length, position, sum);
        return at + HeaderSize + payload.Length;
    }

    /// <summary>Reads the length in a header, if that header has this position. The checksum is not tested.</summary>
    internal static OperationStatus ReadHeader(ReadOnlySpan<byte> source, long position, out int length)
    {
        length = 0;
        if (source.Length < HeaderSize) return OperationStatus.NeedMoreData;
        length = BinaryPrimitives.ReadInt32LittleEndian(source);
        return (uint)length <= MaxPayload && BinaryPrimitives.ReadInt64LittleEndian(source[8..]) == position ? OperationStatus.Done
            : OperationStatus.InvalidData;
    }

    /// <summary>The checksum that a header has.</summary>
    internal static uint SumIn(ReadOnlySpan<byte> header) => BinaryPrimitives.ReadUInt32LittleEndian(header[4..]);

    /// <summary>The CRC of a header's length and position. That of the payload is continued from it.</summary>
    // Two instructions on the numbers. Two calls that load the bytes just stored took most of the time of a frame of 100 bytes.
    internal static uint SumOfHeader(int length, long position, uint seed) =>
        ~BitOperations.Crc32C(BitOperations.Crc32C(~seed, (uint)length), (ulong)position);

    internal static void StoreHeader(Span<byte> header, int length, long position, uint sum)
    {
        BinaryPrimitives.WriteInt64LittleEndian(header[8..], position);
        BinaryPrimitives.WriteUInt64LittleEndian(header, (uint)length | (ulong)sum << 32);
    }
}
