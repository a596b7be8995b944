using System.Runtime.InteropServices;

namespace MemPrims.Channels.Tests;

// Each way to misbehave is an error of its own kind; after it the channel is broken, and nothing of it is left.
[Collection(Alone.Name)]
public class BadPeerTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);
    private static readonly ChannelOptions s_some = new()
    {
        MaxHandles = 4, MaxMessageBytes = 1 << 20, Timeout = TimeSpan.FromMilliseconds(200)
    }, s_none = s_some with { MaxHandles = 0 };

    private static readonly byte[] s_ten = new byte[10];

    // What each lie says, with a descriptor that it may send, and the error that it is. 0: it was said.
    private static readonly Dictionary<string, (IpcFault Fault, Func<RawPeer, int, int> Say)> s_lies = new()
    {
        ["empty"] = (IpcFault.BadHeader, (peer, _) => peer.Send([])),
        ["short"] = (IpcFault.BadHeader, (peer, _) => peer.Send(new byte[31])),
        ["no magic"] = (IpcFault.BadHeader, (peer, _) => peer.Send(new byte[100])),
        ["unknown kind"] = (IpcFault.BadHeader, (peer, _) => peer.Send(RawPeer.Packet((PacketKind)9, 10, s_ten))),
        ["hello in the middle"] = (IpcFault.BadHeader, (peer, _) => peer.Send(RawPeer.Packet(PacketKind.Hello, 10, s_ten))),
        ["longer than its header"] = (IpcFault.BadHeader, (peer, _) => peer.Send(RawPeer.Packet(PacketKind.Whole, 9, s_ten))),
        ["shorter than its header"] = (IpcFault.BadHeader, (peer, _) => peer.Send(RawPeer.Packet(PacketKind.Whole, 11, s_ten))),
        ["negative length"] = (IpcFault.BadHeader, (peer, _) => peer.Send(RawPeer.Packet(PacketKind.Whole, -1, s_ten))),
        ["longer than a packet may be"] = (IpcFault.BadHeader, (peer, _) =>
            peer.SetSendBuffer(1 << 20)
                ? peer.Send(RawPeer.Packet(PacketKind.Whole, Packets.Largest + 1, new byte[Packets.Largest + 1])) : 1),
        ["over the cap"] = (IpcFault.MessageTooLong, (peer, _) => peer.Send(RawPeer.Packet(PacketKind.Whole, (1 << 20) + 1, s_ten))),
        ["over the cap in fragments"] = (IpcFault.MessageTooLong, (peer, _) =>
            peer.Send(RawPeer.Packet(PacketKind.Fragment, (1 << 20) + 1, s_ten, 1))),
        ["huge in fragments"] = (IpcFault.MessageTooLong, (peer, _) =>
            peer.Send(RawPeer.Packet(PacketKind.Fragment, long.MaxValue, s_ten, 1))),
        ["fragment without a beginning"] = (IpcFault.BadHeader, (peer, _) =>
            peer.Send(RawPeer.Packet(PacketKind.Fragment, 100, s_ten, 1, 10))),
        ["fragment twice"] = (IpcFault.BadHeader, (peer, _) =>
            peer.Send(RawPeer.Packet(PacketKind.Fragment, 100, s_ten, 1))
                + peer.Send(RawPeer.Packet(PacketKind.Fragment, 100, s_ten, 1))),
        ["fragment beyond the end"] = (IpcFault.BadHeader, (peer, _) =>
            peer.Send(RawPeer.Packet(PacketKind.Fragment, 15, s_ten, 1))
                + peer.Send(RawPeer.Packet(PacketKind.Fragment, 15, s_ten, 1, 10))),
        ["fragment of nothing"] = (IpcFault.BadHeader, (peer, _) =>
            peer.Send(RawPeer.Packet(PacketKind.Fragment, 15, s_ten, 1))
                + peer.Send(RawPeer.Packet(PacketKind.Fragment, 15, [], 1, 10))),
        ["fragment with another total"] = (IpcFault.BadHeader, (peer, _) =>
            peer.Send(RawPeer.Packet(PacketKind.Fragment, 30, s_ten, 1))
                + peer.Send(RawPeer.Packet(PacketKind.Fragment, 31, s_ten, 1, 10))),
        ["fragment with a gap"] = (IpcFault.BadHeader, (peer, _) =>
            peer.Send(RawPeer.Packet(PacketKind.Fragment, 50, s_ten, 1))
                + peer.Send(RawPeer.Packet(PacketKind.Fragment, 50, s_ten, 1, 11))),
        ["too many fragmented"] = (IpcFault.TooManyMessages, (peer, _) =>
            Enumerable.Range(1, 65).Sum(id => peer.Send(RawPeer.Packet(PacketKind.Fragment, 50, s_ten, (ulong)id)))),
        ["a wake-up with a payload"] = (IpcFault.BadHeader, (peer, _) => peer.Send(RawPeer.Packet(PacketKind.Bell, 0, s_ten))),
        ["a wake-up with a total"] = (IpcFault.BadHeader, (peer, _) => peer.Send(RawPeer.Packet(PacketKind.Bell, 10, []))),
        ["an entry in a packet"] = (IpcFault.BadHeader, (peer, _) => peer.Send(RawPeer.Packet(PacketKind.Grow, 50, [], 1ul << 32))),
        ["more handles than taken"] = (IpcFault.UnwantedHandles, (peer, file) =>
            peer.Send(RawPeer.Packet(PacketKind.Whole, 10, s_ten, handles: 5), Many(file, 5))),
        ["handles not announced"] = (IpcFault.UnwantedHandles, (peer, file) =>
            peer.Send(RawPeer.Packet(PacketKind.Whole, 10, s_ten), [file, file])),
        ["handles announced and missing"] = (IpcFault.UnwantedHandles, (peer, _) =>
            peer.Send(RawPeer.Packet(PacketKind.Whole, 10, s_ten, handles: 2))),
        ["253 handles"] = (IpcFault.UnwantedHandles, (peer, file) =>
            peer.Send(RawPeer.Packet(PacketKind.Whole, 10, s_ten, handles: 253), Many(file, 253))),
        ["handles with a later fragment"] = (IpcFault.BadHeader, (peer, file) =>
            peer.Send(RawPeer.Packet(PacketKind.Fragment, 50, s_ten, 1))
                + peer.Send(RawPeer.Packet(PacketKind.Fragment, 50, s_ten, 1, 10, 1), [file])),
        ["ends in the middle"] = (IpcFault.EndedInMessage, (peer, _) => peer.Send(RawPeer.Packet(PacketKind.Fragment, 50, s_ten, 1))),
    };

    public static TheoryData<string> Lies => [.. s_lies.Keys];

    [Theory]
    [MemberData(nameof(Lies))]
    public void A_lie_is_an_error_of_its_kind(string lie)
    {
        Tell(lie);
        int before = Census.Files;
        for (int i = 0; i < 20; i++) Tell(lie);
        Census.AssertFiles(before);
    }

    private static void Tell(string lie)
    {
        using Ends ends = Ends.Raw(out RawPeer peer, out IpcChannel channel, s_some);
        Say(peer, lie);
        Assert.Equal(s_lies[lie].Fault, Assert.ThrowsAny<IpcException>(() => channel.Receive(s_soon)).Fault);
        Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => channel.Receive(s_soon)).Fault);
        Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => channel.Send([1])).Fault);
        Assert.True(channel.IsBroken && channel.HasEnded);
    }

    private static void Say(RawPeer peer, string lie)
    {
        int file = Census.OpenNull();
        Assert.Equal(0, s_lies[lie].Say(peer, file));
        _ = Posix.Close(file);
        if (lie == "ends in the middle") peer.Dispose();
    }

    [Fact]
    public void Descriptors_that_nobody_asked_for_are_refused_by_the_kernel_or_here()
    {
        using Ends ends = Ends.Raw(out RawPeer peer, out IpcChannel channel, s_none);
        int file = Census.OpenNull(), before = Census.Files;
        int error = peer.Send(RawPeer.Packet(PacketKind.Whole, 1, [7], handles: 1), [file]);
        if (error == 0) Assert.Equal(IpcFault.UnwantedHandles,
            Assert.ThrowsAny<IpcException>(() => channel.Receive(s_soon)).Fault);
        else
        {
            Assert.Equal(Errno.EPERM, error);
            peer.Send(RawPeer.Packet(PacketKind.Whole, 1, [7]));
            using IpcMessage message = channel.Receive(s_soon)!;
            Assert.Equal(7, message.Payload.Span[0]);
        }
        Census.AssertFiles(before);
        _ = Posix.Close(file);
    }

    [Fact]
    public void Our_own_want_of_descriptors_is_told_from_the_peers_fault()
    {
        ChildResult child = Child.Run(RunOutOfDescriptors);
        child.AssertSucceeded();
    }

    private static void RunOutOfDescriptors(string[] arguments)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_some with { Timeout = TimeSpan.FromSeconds(10) });
        using var file = System.IO.File.OpenHandle("/dev/null", FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        // Everything is loaded and compiled before there is no number left.
        Tell("more handles than taken");
        Console.Error.WriteLine("ready");
        a.Send([1], [file, file]);
        b.Receive(s_soon)!.Dispose();
        a.Send([1], [file, file]);
        a.Send(new byte[200], []);
        Limits.Files(Census.Numbers - 1);
        Exception? thrown = Scarcity.Outcome(() => b.Receive(s_soon));
        Limits.Files(1024);
        Assert.Equal(IpcFault.OutOfDescriptors, Assert.IsType<IpcProtocolException>(thrown).Fault);
        using IpcMessage after = b.Receive(s_soon)!;
        Assert.Equal(200, after.Payload.Length);
    }

    [Theory, InlineData(false), InlineData(true)]
    public void A_reset_is_reported_once_after_everything_was_drained(bool toSendToo)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        b.Send([1]);
        b.Send([2]);
        a.Send([9]);
        b.Dispose();
        if (toSendToo) Assert.Equal(IpcFault.PeerGone, Assert.Throws<IpcPeerGoneException>(() => a.Send([2])).Fault);
        for (byte i = 1; i <= 2; i++)
        {
            using IpcMessage message = a.Receive(s_soon)!;
            Assert.Equal(i, message.Payload.Span[0]);
        }
        Assert.Equal(IpcFault.PeerLeftMessagesUnread, Assert.Throws<IpcPeerGoneException>(() => a.Receive(s_soon)).Fault);
        Assert.Null(a.Receive(s_soon));
        Assert.Equal(IpcFault.PeerGone, Assert.Throws<IpcPeerGoneException>(() => a.Send([1])).Fault);
        Assert.False(a.IsBroken);
    }

    [Theory, InlineData(false), InlineData(true)]
    public void Only_messages_of_the_user_count_as_left_unread(bool sends)
    {
        string name = $"@memprims-{Guid.NewGuid():N}";
        using IpcListener listener = IpcListener.Listen(name);
        using RawPeer peer = RawPeer.Connect(name);
        Assert.Equal(0, peer.Send(RawPeer.Packet(PacketKind.Hello, 24, RawPeer.Hello())));
        Assert.Equal(0, peer.Send(RawPeer.Packet(PacketKind.Whole, 1, [7])));
        using IpcChannel channel = listener.Accept(s_soon);
        if (sends) channel.Send([9]);
        // It has not read this end's Hello either.
        peer.Dispose();
        using (IpcMessage message = channel.Receive(s_soon)!) Assert.Equal(7, message.Payload.Span[0]);
        if (sends) Assert.Equal(IpcFault.PeerLeftMessagesUnread, Assert.ThrowsAny<IpcException>(() => channel.Receive(s_soon)).Fault);
        Assert.Null(channel.Receive(s_soon));
    }

    [Theory, InlineData("an id", IpcFault.BadHandshake), InlineData("an offset", IpcFault.BadHandshake)]
    [InlineData("a byte more", IpcFault.BadHandshake), InlineData("memory that may not be read", IpcFault.BadSharedMemory)]
    [InlineData("memory without seals", IpcFault.BadSharedMemory)]
    public void A_hello_that_is_not_as_it_should_be_is_refused_with_the_peer_in_the_text(string lie, IpcFault fault)
    {
        using TempFolder folder = new();
        using IpcListener listener = IpcListener.Listen(folder.File("s"));
        using RawPeer peer = RawPeer.Connect(folder.File("s"));
        bool hasMemory = lie.Contains("memory", StringComparison.Ordinal);
        byte[] hello = hasMemory ? RawPeer.Hello(RingLayout.UsualSmall, RingLayout.UsualLarge) : RawPeer.Hello();
        int memory = hasMemory ? Memory(seals: lie != "memory without seals") : -1;
        Assert.Equal(0, peer.Send([.. RawPeer.Packet(PacketKind.Hello, 24, hello, lie == "an id" ? 1u : 0, lie == "an offset" ? 9 : 0,
            (byte)(memory < 0 ? 0 : 1)), .. lie == "a byte more" ? new byte[1] : []], memory < 0 ? [] : [memory]));
        if (memory >= 0) _ = Posix.Close(memory);
        IpcException told = Assert.ThrowsAny<IpcException>(() => listener.Accept(s_soon));
        Assert.Equal(fault, told.Fault);
        Assert.Contains(folder.File("s"), told.Message);

        // Opened for writing alone.
        static int Memory(bool seals)
        {
            int file = MemoryFile.TryCreate("hello");
            Assert.Equal(0, Posix.Ftruncate(file, RingLayout.Usual.Length));
            Assert.True(MemoryFile.TryAllocate(file, 0, RingLayout.Usual.Length));
            if (seals) Assert.Equal(0, Posix.Fcntl(file, Posix.F_ADD_SEALS, MemoryFile.ReadOnlyForOthers));
            SafeFileHandle other = File.OpenHandle($"/proc/self/fd/{file}", FileMode.Open, FileAccess.Write);
            _ = Posix.Close(file);
            int number = (int)other.DangerousGetHandle();
            other.SetHandleAsInvalid();
            return number;
        }
    }

    [Fact]
    public void A_hello_for_whose_memory_there_is_no_descriptor_is_this_process_s_fault() =>
        Child.Run(TakeHelloWithoutDescriptors).AssertSucceeded();

    private static void TakeHelloWithoutDescriptors(string[] arguments)
    {
        string name = $"@memprims-{Guid.NewGuid():N}";
        using IpcListener listener = IpcListener.Listen(name);
        byte[] hello = RawPeer.Hello(RingLayout.UsualSmall, RingLayout.UsualLarge);
        HashSet<IpcFault> faults = [];
        // The connection takes a number, then this end's memory, then the client's. A thread of the runtime that begins meanwhile takes
        // some for a moment, so it is tried again.
        for (int attempt = 0; attempt < 3 || (attempt < 60 && !faults.Contains(IpcFault.OutOfDescriptors)); attempt++)
        {
            int room = attempt % 3;
            using RawPeer client = RawPeer.Connect(name);
            int file = Census.OpenNull();
            Assert.Equal(0, client.Send(RawPeer.Packet(PacketKind.Hello, 24, hello, handles: 1), [file]));
            _ = Posix.Close(file);
            Limits.Files(file + room);
            Exception? told = Scarcity.Outcome(() => listener.Accept(TimeSpan.FromSeconds(1)));
            Limits.Files(1024);
            // A listener that comes to the connection only now has no number for it: the client waits until there is one.
            if (told is TimeoutException) told = Scarcity.Outcome(() => listener.Accept(s_soon));
            if (Assert.IsAssignableFrom<IOException>(told) is IpcException { Fault: var fault }) faults.Add(fault);
        }
        Assert.Contains(IpcFault.OutOfDescriptors, faults);
        Assert.DoesNotContain(IpcFault.BadHandshake, faults);
    }

    // In a process of its own: beside other tests nothing of this could be counted exactly.
    [Fact]
    public void Ten_thousand_faults_leave_no_descriptor_no_map_and_no_memory() =>
        Child.Run(MakeFaults, null, MemoryCensus.OneHeap).AssertSucceeded();

    private static void MakeFaults(string[] arguments)
    {
        string[] lies = [.. s_lies.Keys];
        // A flood leaves no more under way than a usual process can have.
        Limits.Files(1024);
        for (int i = 0; i < 3_000; i++) Fault(i, lies);
        int files = Census.SettledFiles(), maps = Census.Maps;
        string? leak = MemoryCensus.Leak(10_000, i => Fault(i, lies));
        Assert.True(leak is null, leak);
        Census.AssertFiles(files);
        Assert.True(Census.Maps <= maps, $"{Census.Maps} maps, {maps} before");
    }

    [Theory, InlineData("objects", 200), InlineData("malloc", 200), InlineData("mappings", 4096)]
    public void A_leak_in_each_of_ten_thousand_calls_is_seen(string kind, int bytes) =>
        Child.Run(LeakOnPurpose, [kind, $"{bytes}"], MemoryCensus.OneHeap).AssertSucceeded();

    private static unsafe void LeakOnPurpose(string[] arguments)
    {
        int bytes = int.Parse(arguments[1]);
        List<byte[]> kept = [];
        string? leak = MemoryCensus.Leak(10_000, call =>
        {
            if (arguments[0] == "objects") kept.Add(new byte[bytes]);
            else if (arguments[0] == "malloc") _ = (nint)NativeMemory.Alloc((nuint)bytes);
            else Assert.True((nint)Posix.Mmap(null, bytes, 3, 0x22, -1, 0) != -1);
        });
        Assert.NotNull(leak);
        Assert.Null(MemoryCensus.Leak(10_000, _ => new byte[bytes].AsSpan().Clear()));
        GC.KeepAlive(kept);
    }

    private static int[] Many(int file, int count) => [.. Enumerable.Repeat(file, count)];

    private static void Fault(int i, string[] lies)
    {
        if (i % 4 == 0)
        {
            // Both ends real: one dies with the other's messages unread.
            (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_some);
            a.Send(new byte[i % 3 == 0 ? 50_000 : 50]);
            if (i % 8 == 0) b.Dispose();
            a.Dispose();
            b.Dispose();
            return;
        }
        using Ends ends = Ends.Raw(out RawPeer peer, out IpcChannel channel, s_some);
        Say(peer, lies[i % lies.Length]);
        Assert.ThrowsAny<IpcException>(() => channel.Receive(s_soon));
    }
}
