namespace MemPrims.Channels.Tests;

// Each lie that a peer can tell by the ring is an error of its kind, and no descriptor is left of it.
[Collection(Alone.Name)]
public class RingLieTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);
    private static readonly ChannelOptions s_options = new()
    {
        MaxHandles = 4, MaxMessageBytes = 1 << 20, Timeout = TimeSpan.FromMilliseconds(200)
    };

    // What a lie writes and sends, with a descriptor that it may send, and the error that it is.
    private sealed record Lie(IpcFault Fault, Action<RawRing, IpcChannel, int> Say);

    private static readonly Dictionary<string, Lie> s_lies = new()
    {
        ["switch twice"] = new(IpcFault.BadHeader, (ring, _, _) => ring.Begin()),
        ["grow twice"] = new(IpcFault.BadHeader, (ring, _, _) => ring.Write(PacketKind.Grow, 0, [])),
        ["no magic"] = new(IpcFault.BadSharedMemory, (ring, _, _) => ring.Write(new byte[64], 64)),
        ["less than a header"] = new(IpcFault.BadSharedMemory, (ring, _, _) => ring.Write(PacketKind.Whole, 3, [], 31)),
        ["unknown kind"] = new(IpcFault.BadHeader, (ring, _, _) => ring.Write((PacketKind)99, 0, [])),
        ["a kind of packets"] = new(IpcFault.BadHeader, (ring, _, _) => ring.Write(PacketKind.Fragment, 0, [])),
        ["an id"] = new(IpcFault.BadHeader, (ring, _, _) => ring.Write(PacketKind.Whole, 3, [1, 2, 3], id: 1)),
        ["an offset"] = new(IpcFault.BadHeader, (ring, _, _) => ring.Write(PacketKind.Whole, 3, [1, 2, 3], offset: 1)),
        ["grow with a total"] = new(IpcFault.BadHeader, (ring, _, _) => ring.Write(PacketKind.Grow, 1, [])),
        ["over the cap"] = new(IpcFault.MessageTooLong, (ring, _, _) => ring.Write(PacketKind.Whole, (1 << 20) + 1, [])),
        ["huge"] = new(IpcFault.MessageTooLong, (ring, _, _) => ring.Write(PacketKind.Whole, long.MaxValue, [])),
        ["negative"] = new(IpcFault.BadHeader, (ring, _, _) => ring.Write(PacketKind.Whole, -1, [])),
        ["handles that did not come"] = new(IpcFault.UnwantedHandles, (ring, _, _) =>
            ring.Write(PacketKind.Whole, 3, [1, 2, 3], handles: 2)),
        ["fewer handles than came"] = new(IpcFault.BadHeader, (ring, _, file) =>
        {
            Assert.Equal(0, ring.SendHandles(file, file));
            ring.Write(PacketKind.Whole, 3, [1, 2, 3], handles: 1);
        }),
        ["no handles where some came"] = new(IpcFault.BadHeader, (ring, _, file) =>
        {
            Assert.Equal(0, ring.SendHandles(file, file));
            ring.Write(PacketKind.Whole, 3, [1, 2, 3]);
        }),
        ["handles of another place"] = new(IpcFault.BadHeader, (ring, _, file) =>
        {
            Assert.Equal(0, ring.Peer.Send(RawPeer.Packet(PacketKind.Handles, 0, [], (ulong)ring.Produced + 64, handles: 1), file));
            ring.Write(PacketKind.Whole, 3, [1, 2, 3], handles: 1);
        }),
        ["handles of a message that was taken"] = new(IpcFault.BadHeader, (ring, _, file) =>
            Assert.Equal(0, ring.Peer.Send(RawPeer.Packet(PacketKind.Handles, 0, [], 7, handles: 1), file))),
        ["more handles than taken"] = new(IpcFault.UnwantedHandles, (ring, _, file) =>
        {
            Assert.Equal(0, ring.SendHandles(file, file, file, file, file));
            ring.Write(PacketKind.Whole, 3, [1, 2, 3], handles: 5);
        }),
        ["handles ahead of nothing, then the end"] = new(IpcFault.EndedInMessage, (ring, end, file) =>
        {
            Assert.Equal(0, ring.SendHandles(file));
            ring.Dispose();
            end.Dispose();
        }),
        ["a switch in the ring"] = new(IpcFault.BadHeader, (ring, _, _) => ring.Write(PacketKind.Switch, 0, [])),
        ["descriptors without end"] = new(IpcFault.BadHeader, (ring, _, file) =>
        {
            for (ulong i = 0; i < 3; i++) Assert.Equal(0, ring.Peer.Send(RawPeer.Packet(PacketKind.Handles, 0, [],
                (ulong)ring.Produced + (64 * i), handles: 1), file));
        }),
        ["a message that ends in the middle"] = new(IpcFault.EndedInMessage, (ring, end, _) =>
        {
            ring.Write(PacketKind.Whole, 1000, [1], 64);
            ring.Dispose();
            end.Dispose();
        }),
        ["more than the ring has"] = new(IpcFault.BadSharedMemory, (ring, _, _) => ring.Produced += (1 << 20) + 1),
        ["a count that goes back"] = new(IpcFault.BadSharedMemory, (ring, _, _) => ring.Produced -= 1),
    };

    public static TheoryData<string> Lies => [.. s_lies.Keys];

    [Theory]
    [MemberData(nameof(Lies))]
    public void A_lie_is_an_error_of_its_kind(string lie)
    {
        Tell(lie);
        int before = Census.SettledFiles();
        for (int i = 0; i < 10; i++) Tell(lie);
        Census.AssertFiles(before);
    }

    private static void Tell(string lie)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, s_options);
        using RawRing ring = new(a);
        int file = Census.OpenNull();
        ring.Begin();
        // An honest message first.
        ring.Write(PacketKind.Whole, 3, [1, 2, 3]);
        Assert.Equal(3, b.Receive(new byte[3], s_soon));
        s_lies[lie].Say(ring, a, file);
        _ = Posix.Close(file);
        // The descriptors are met when the ring is empty.
        if (lie == "no handles where some came") Assert.Equal(3, b.Receive(new byte[3], s_soon));
        Assert.Equal(s_lies[lie].Fault, Assert.ThrowsAny<IpcException>(() => b.Receive(s_soon)).Fault);
        Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => b.Receive(s_soon)).Fault);
        Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => b.Send([1])).Fault);
    }

    [Fact]
    public void Descriptors_whose_message_never_comes_end_with_the_time()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, s_options);
        using RawRing ring = new(a);
        int file = Census.OpenNull(), before = Census.SettledFiles();
        ring.Begin();
        Assert.Equal(0, ring.SendHandles(file, file));
        Assert.Throws<TimeoutException>(() => b.Receive(s_soon));
        Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => b.Receive(s_soon)).Fault);
        b.Dispose();
        Census.AssertFiles(before - 1);
        _ = Posix.Close(file);
    }
}
