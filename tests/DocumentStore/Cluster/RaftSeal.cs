using System.Buffers.Binary;

namespace DocumentStore.Cluster;

/// <summary>
/// An entry on its way to a follower, behind a checksum. Of a connection that ends in the middle of one, DotNext gives the bytes that have
/// come, and says nothing: such an entry, or none of its bytes, would count as the whole one. Threads: static.
/// </summary>
internal static class RaftSeal
{
    public static byte[] Of(ReadOnlySpan<byte> content, long index, long term)
    {
        byte[] bytes = new byte[sizeof(uint) + content.Length];
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, Sum(content, index, term));
        content.CopyTo(bytes.AsSpan(sizeof(uint)));
        return bytes;
    }

    /// <exception cref="DamagedDataException">It is not as it was sent.</exception>
    public static ReadOnlySpan<byte> Open(ReadOnlySpan<byte> bytes, long index, long term)
    {
        if (bytes.Length < sizeof(uint)
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes) != Sum(bytes[sizeof(uint)..], index, term))
            throw new DamagedDataException($"The entry {index} is not as it was sent: {bytes.Length} bytes have come.");
        return bytes[sizeof(uint)..];
    }

    private static uint Sum(ReadOnlySpan<byte> content, long index, long term)
    {
        Span<byte> place = stackalloc byte[2 * sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(place, index);
        BinaryPrimitives.WriteInt64LittleEndian(place[sizeof(long)..], term);
        return Checksum.Crc32C(Checksum.Crc32C(place), content);
    }
}
