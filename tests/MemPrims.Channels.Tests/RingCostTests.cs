namespace MemPrims.Channels.Tests;

// What a connection may cost in memory, counted at the memory files: a read of a hole gives it a page for good.
public class RingCostTests
{
    private const int Small = RingLayout.UsualSmall, Large = RingLayout.UsualLarge, Header = 4096;

    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [Theory, InlineData(Small, 1 << 26, IpcFault.BadHandshake), InlineData(Small, Large * 2, IpcFault.BadHandshake)]
    [InlineData(Small * 2, Large, IpcFault.BadHandshake), InlineData(Small, Large, null)]
    public void A_peer_that_gives_no_memory_costs_no_more_than_README_promises(int small, int large, IpcFault? refused)
    {
        string name = $"@memprims-{Guid.NewGuid():N}";
        using IpcListener listener = IpcListener.Listen(name, new() { MaxMessageBytes = 1 << 30 });
        using SparsePeer peer = new(name, new(small, large), given: Header + small);
        if (refused is { } fault)
            Assert.Equal(fault, Assert.Throws<IpcProtocolException>(() => listener.Accept(s_soon)).Fault);
        else
            using (IpcChannel channel = listener.Accept(s_soon))
            {
                Assert.True(channel.HasSharedMemory);
                Assert.False(channel.TryReceive(out _));
                peer.FillRingWithOneMessage();
                using IpcMessage message = channel.Receive(s_soon)!;
                Assert.Equal(large - PacketHeader.Size, message.Payload.Length);
                // All of the ring was read: without it this would count nothing.
                Assert.True(peer.Space >= large, $"{peer.Space}");
            }
        Assert.True(peer.Space <= Header + Math.Max(small, Environment.SystemPageSize) + Large, $"{peer.Space >> 10} KiB");
    }

    [Theory, InlineData(0), InlineData(Header), InlineData(Small)]
    public void Memory_with_holes_where_a_channel_begins_is_refused(int given)
    {
        string name = $"@memprims-{Guid.NewGuid():N}";
        using IpcListener listener = IpcListener.Listen(name);
        using SparsePeer peer = new(name, RingLayout.Usual, given);
        Assert.Equal(IpcFault.BadSharedMemory, Assert.Throws<IpcProtocolException>(() => listener.Accept(s_soon)).Fault);
        Assert.True(peer.Space <= given, $"{peer.Space}");
    }

    // A client whose memory file has fewer bytes than its length says.
    private sealed unsafe class SparsePeer : IDisposable
    {
        private readonly RawPeer _peer;
        private readonly int _file;
        private readonly byte* _memory;
        private readonly RingLayout _layout;

        public SparsePeer(string path, RingLayout layout, int given)
        {
            _layout = layout;
            _file = MemoryFile.TryCreate("sparse");
            Assert.Equal(0, Posix.Ftruncate(_file, layout.Length));
            if (given > 0) Assert.True(MemoryFile.TryAllocate(_file, 0, Math.Min(Header, given)));
            if (given > Header) Assert.True(MemoryFile.TryAllocate(_file, RingLayout.SmallAt, given - Header));
            _memory = Posix.Mmap(null, layout.Length, Posix.PROT_READ | Posix.PROT_WRITE, Posix.MAP_SHARED, _file, 0);
            Assert.Equal(0, Posix.Fcntl(_file, Posix.F_ADD_SEALS, MemoryFile.ReadOnlyForOthers));
            byte[] hello = RawPeer.Hello(layout.SmallBytes, layout.LargeBytes, message: 1 << 30);
            _peer = RawPeer.Connect(path);
            Assert.Equal(0, _peer.Send(RawPeer.Packet(PacketKind.Hello, 24, hello, handles: 1), _file));
        }

        // How many bytes of memory the file has by now.
        public long Space => FileIdentity.SpaceOf(_file);

        public void FillRingWithOneMessage()
        {
            Assert.Equal(0, _peer.Send(RawPeer.Packet(PacketKind.Switch, 0, [])));
            *(PacketHeader*)(_memory + RingLayout.SmallAt) = new(PacketKind.Grow, 0);
            // The message begins at the position after the Grow.
            *(PacketHeader*)(_memory + _layout.LargeAt + Packets.EntryAlignment) =
                new(PacketKind.Whole, _layout.LargeBytes - PacketHeader.Size);
            Volatile.Write(ref ((RingHeader*)_memory)->Produced, Packets.EntryAlignment + _layout.LargeBytes);
        }

        public void Dispose()
        {
            _peer.Dispose();
            _ = Posix.Munmap(_memory, _layout.Length);
            _ = Posix.Close(_file);
        }
    }
}
