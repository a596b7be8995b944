using System.Buffers.Binary;
using System.Numerics;

namespace MemPrims.Benchmarks.Records;

/// <summary>The log that one writes by hand: a FileStream, a header of length and CRC-32C, and a loop over the payload's words.</summary>
internal sealed class StreamLog(string path) : IDisposable
{
    private const int HeaderBytes = 8, BufferBytes = 1 << 16;

    private readonly FileStream _file = new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.Read, BufferBytes);

    public long Length => _file.Position;

    public void Append(ReadOnlySpan<byte> payload)
    {
        Span<byte> header = stackalloc byte[HeaderBytes];
        BinaryPrimitives.WriteInt32LittleEndian(header, payload.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(header[4..], Crc(payload));
        _file.Write(header);
        _file.Write(payload);
    }

    public void Sync() => _file.Flush(flushToDisk: true);

    public void Clear() => _file.SetLength(0);

    /// <summary>Reads all frames and checks them; the sum of their lengths.</summary>
    public static long ReadAll(string path)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, BufferBytes);
        Span<byte> header = stackalloc byte[HeaderBytes];
        byte[] payload = new byte[1 << 16];
        long sum = 0;
        while (file.ReadAtLeast(header, HeaderBytes, throwOnEndOfStream: false) == HeaderBytes)
        {
            Span<byte> read = payload.AsSpan(0, BinaryPrimitives.ReadInt32LittleEndian(header));
            file.ReadExactly(read);
            if (Crc(read) != BinaryPrimitives.ReadUInt32LittleEndian(header[4..])) throw new InvalidDataException("A frame is damaged.");
            sum += read.Length;
        }
        return sum;
    }

    public static uint Crc(ReadOnlySpan<byte> bytes)
    {
        uint crc = ~0u;
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..])
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        foreach (byte b in bytes) crc = BitOperations.Crc32C(crc, b);
        return ~crc;
    }

    public void Dispose() => _file.Dispose();
}
