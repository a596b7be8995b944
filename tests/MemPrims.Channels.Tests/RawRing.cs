namespace MemPrims.Channels.Tests;

// A peer that writes entries of its own to the ring of a channel's end, beside the channel, which sends nothing itself.
internal sealed unsafe class RawRing : IDisposable
{
    private readonly RingHeader* _header;
    private bool _isLarge;

    public RawRing(IpcChannel sender)
    {
        _header = sender.Shared();
        Peer = RawPeer.Over(sender.DuplicateHandle());
    }

    // Speaks on the socket in the sender's name.
    public RawPeer Peer { get; }

    public ref long Produced => ref _header->Produced;

    // Says that messages lie in the ring from now on, and in the large one.
    public void Begin()
    {
        Assert.Equal(0, Peer.Send(RawPeer.Packet(PacketKind.Switch, 0, [], (ulong)Produced)));
        Write(PacketKind.Grow, 0, []);
        _isLarge = true;
    }

    // Writes an entry and counts the bytes given, which need not be those of the entry.
    public void Write(PacketKind kind, long total, ReadOnlySpan<byte> payload, long? count = null, byte handles = 0, ulong id = 0,
        long offset = 0)
    {
        byte[] entry = RawPeer.Packet(kind, total, payload, id, offset, handles);
        Write(entry, count ?? Packets.EntrySize(payload.Length));
    }

    public void Write(ReadOnlySpan<byte> bytes, long count)
    {
        nint place = _isLarge ? RingLayout.Usual.LargeAt + (nint)(Produced & (RingLayout.UsualLarge - 1))
            : RingLayout.SmallAt + (nint)(Produced & (RingLayout.UsualSmall - 1));
        nint room = (_isLarge ? RingLayout.Usual.Length : RingLayout.SmallAt + RingLayout.UsualSmall) - place;
        bytes[..(int)Math.Min(bytes.Length, room)].CopyTo(new Span<byte>((byte*)_header + place, (int)room));
        Volatile.Write(ref _header->Produced, Produced + count);
    }

    public int SendHandles(params int[] files) =>
        Peer.Send(RawPeer.Packet(PacketKind.Handles, 0, [], (ulong)Produced, handles: (byte)files.Length), files);

    public void Dispose() => Peer.Dispose();
}

internal static unsafe class Insides
{
    // The page of its shared memory that an end writes.
    public static RingHeader* Shared(this IpcChannel channel) => channel.Socket.Mine!.Header;
}
