namespace MemPrims.Channels.Tests;

// Each lie that a peer can tell by the ring is an error of its kind, and no descriptor is left of it.
[Collection(Alone.Name)]
public class RingLieTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);
    private static readonly ChannelOptions s_options = new() {
        MaxHandles = 4, MaxMessageBytes = 1 << 20, Timeout = TimeSpan.FromMilliseconds(200) };

    public static TheoryData<string, IpcFault> Lies => new()
    {
        { "switch twice", IpcFault.BadHeader },
        { "grow twice", IpcFault.BadHeader },
        { "no magic", IpcFault.BadSharedMemory },
        { "less than a header", IpcFault.BadSharedMemory },
        { "unknown kind", IpcFault.BadHeader },
        { "a kind of packets", IpcFault.BadHeader },
        { "an id", IpcFault.BadHeader },
        { "an offset", IpcFault.BadHeader },
        { "grow with a total", IpcFault.BadHeader },
        { "over the cap", IpcFault.MessageTooLong },
        { "huge", IpcFault.MessageTooLong },
        { "negative", IpcFault.BadHeader },
        { "handles that did not come", IpcFault.UnwantedHandles },
        { "fewer handles than came", IpcFault.BadHeader },
        { "no handles where some came", IpcFault.BadHeader },
        { "handles of another place", IpcFault.BadHeader },
        { "handles of a message that was taken", IpcFault.BadHeader },
        { "more handles than taken", IpcFault.UnwantedHandles },
        { "handles ahead of nothing, then the end", IpcFault.EndedInMessage },
        { "a switch in the ring", IpcFault.BadHeader },
        { "descriptors without end", IpcFault.BadHeader },
        { "a message that ends in the middle", IpcFault.EndedInMessage },
        { "more than the ring has", IpcFault.BadSharedMemory },
        { "a count that goes back", IpcFault.BadSharedMemory },
    };

    [Theory]
    [MemberData(nameof(Lies))]
    public void A_lie_is_an_error_of_its_kind(string lie, IpcFault fault)
    {
        Tell(lie, fault);
        int before = Census.SettledFiles();
        for (int i = 0; i < 10; i++) Tell(lie, fault);
        Census.AssertFiles(before);
    }

    private static void Tell(string lie, IpcFault fault)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, s_options);
        using RawRing ring = new(a);
        int file = Census.OpenNull();
        ring.Begin();
        // An honest message first.
        ring.Write(PacketKind.Whole, 3, [1, 2, 3]);
        Assert.Equal(3, b.Receive(new byte[3], s_soon));
        Say(ring, a, lie, file);
        _ = Posix.Close(file);
        // The descriptors are met when the ring is empty.
        if (lie == "no handles where some came") Assert.Equal(3, b.Receive(new byte[3], s_soon));
        Assert.Equal(fault, Assert.ThrowsAny<IpcException>(() => b.Receive(s_soon)).Fault);
        Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => b.Receive(s_soon)).Fault);
        Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => b.Send([1])).Fault);
    }

    private static void Say(RawRing ring, IpcChannel end, string lie, int file)
    {
        switch (lie)
        {
            case "switch twice": ring.Begin(); break;
            case "grow twice": ring.Write(PacketKind.Grow, 0, []); break;
            case "no magic": ring.Write(new byte[64], 64); break;
            case "less than a header": ring.Write(PacketKind.Whole, 3, [], 31); break;
            case "unknown kind": ring.Write((PacketKind)99, 0, []); break;
            case "a kind of packets": ring.Write(PacketKind.Fragment, 0, []); break;
            case "an id": ring.Write(PacketKind.Whole, 3, [1, 2, 3], id: 1); break;
            case "an offset": ring.Write(PacketKind.Whole, 3, [1, 2, 3], offset: 1); break;
            case "grow with a total": ring.Write(PacketKind.Grow, 1, []); break;
            case "over the cap": ring.Write(PacketKind.Whole, (1 << 20) + 1, []); break;
            case "huge": ring.Write(PacketKind.Whole, long.MaxValue, []); break;
            case "negative": ring.Write(PacketKind.Whole, -1, []); break;
            case "handles that did not come": ring.Write(PacketKind.Whole, 3, [1, 2, 3], handles: 2); break;
            case "fewer handles than came":
                Assert.Equal(0, ring.SendHandles(file, file));
                ring.Write(PacketKind.Whole, 3, [1, 2, 3], handles: 1);
                break;
            case "no handles where some came":
                Assert.Equal(0, ring.SendHandles(file, file));
                ring.Write(PacketKind.Whole, 3, [1, 2, 3]);
                break;
            case "handles of another place":
                Assert.Equal(0, ring.Peer.Send(RawPeer.Packet(PacketKind.Handles, 0, [], (ulong)ring.Produced + 64, handles: 1), file));
                ring.Write(PacketKind.Whole, 3, [1, 2, 3], handles: 1);
                break;
            case "handles of a message that was taken":
                Assert.Equal(0, ring.Peer.Send(RawPeer.Packet(PacketKind.Handles, 0, [], 7, handles: 1), file));
                break;
            case "more handles than taken":
                Assert.Equal(0, ring.SendHandles(file, file, file, file, file));
                ring.Write(PacketKind.Whole, 3, [1, 2, 3], handles: 5);
                break;
            case "handles ahead of nothing, then the end":
                Assert.Equal(0, ring.SendHandles(file));
                ring.Dispose();
                end.Dispose();
                break;
            case "a switch in the ring": ring.Write(PacketKind.Switch, 0, []); break;
            case "descriptors without end":
                for (ulong i = 0; i < 3; i++) Assert.Equal(0, ring.Peer.Send(RawPeer.Packet(PacketKind.Handles, 0, [],
                    (ulong)ring.Produced + (64 * i), handles: 1), file));
                break;
            case "a message that ends in the middle":
                ring.Write(PacketKind.Whole, 1000, [1], 64);
                ring.Dispose();
                end.Dispose();
                break;
            case "more than the ring has": ring.Produced += (1 << 20) + 1; break;
            case "a count that goes back": ring.Produced -= 1; break;
            default: throw new ArgumentException(lie);
        }
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
