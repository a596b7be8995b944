using System.Buffers.Binary;

namespace MemPrims.Channels.Tests;

// Both ends of a pair, which end with it where they have not yet: the second one first.
internal readonly struct Ends(IDisposable a, IDisposable b) : IDisposable
{
    public static Ends Of(out IpcChannel a, out IpcChannel b, ChannelOptions? options = null)
    {
        (a, b) = IpcChannel.CreatePair(options);
        return new(a, b);
    }

    public static Ends Raw(out RawPeer peer, out IpcChannel channel, ChannelOptions? options = null)
    {
        (peer, channel) = RawPeer.Create(options);
        return new(peer, channel);
    }

    public void Dispose()
    {
        using (a) b.Dispose();
    }
}

// Contents of messages, and how to check them.
internal static class Bytes
{
    public static byte[] Random(int length, int salt)
    {
        byte[] bytes = new byte[length];
        Seeds.Random(salt).NextBytes(bytes);
        return bytes;
    }

    public static ReadOnlySequence<byte> InPieces(byte[] all, int length)
    {
        Piece first = new(all.AsMemory(0, length), null), last = first;
        for (int at = length; at < all.Length; at += length) last = new(all.AsMemory(at, Math.Min(length, all.Length - at)), last);
        return new(first, 0, last, last.Memory.Length);
    }

    // A message that says who sent it as which, with a checksum over everything; 12 bytes at least.
    public static byte[] Stamped(int sender, int number, int length)
    {
        byte[] bytes = new byte[Math.Max(12, length)];
        new Random(sender * 7919 + number).NextBytes(bytes.AsSpan(8, Math.Min(bytes.Length - 12, 64)));
        bytes[^5] = (byte)number;
        BinaryPrimitives.WriteInt32LittleEndian(bytes, sender);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(4), number);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(bytes.Length - 4), Checksum.Crc32C(bytes.AsSpan(0, bytes.Length - 4)));
        return bytes;
    }

    public static (int Sender, int Number) CheckStamp(ReadOnlySpan<byte> bytes)
    {
        Assert.True(bytes.Length >= 12, $"only {bytes.Length} bytes");
        Assert.Equal(Checksum.Crc32C(bytes[..^4]), BinaryPrimitives.ReadUInt32LittleEndian(bytes[^4..]));
        return (BinaryPrimitives.ReadInt32LittleEndian(bytes), BinaryPrimitives.ReadInt32LittleEndian(bytes[4..]));
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public Piece(ReadOnlyMemory<byte> memory, Piece? before)
        {
            Memory = memory;
            if (before is null) return;
            before.Next = this;
            RunningIndex = before.RunningIndex + before.Memory.Length;
        }
    }
}
