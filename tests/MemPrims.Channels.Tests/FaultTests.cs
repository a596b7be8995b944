using System.Runtime.InteropServices;
using static MemPrims.Channels.Tests.RingTests;

namespace MemPrims.Channels.Tests;

// What goes wrong between two parts of a channel: the peer dies, the kernel refuses, a listener ends as a client arrives.
[Collection(Alone.Name)]
public class FaultTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);
    private static readonly bool s_isArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_peer_that_ends_between_descriptors_and_their_message_is_noticed(bool asynchronous)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { MaxHandles = 2, Timeout = Timeout.InfiniteTimeSpan });
        int file = Census.OpenNull();
        RawRing ring = new(a);
        ring.Begin();
        Assert.Equal(0, ring.SendHandles(file));
        Task receiving = asynchronous ? b.ReceiveAsync().AsTask() : Task.Run(() => b.Receive());
        await Task.Delay(100);
        Assert.False(receiving.IsCompleted);
        TimeSpan used = Process.GetCurrentProcess().TotalProcessorTime;
        await Task.Delay(1000);
        // Code is compiled meanwhile, too.
        Assert.True((Process.GetCurrentProcess().TotalProcessorTime - used).TotalMilliseconds < 700, "the wait burns a processor");
        ring.Dispose();
        a.Dispose();
        IpcPeerGoneException gone = await Assert.ThrowsAsync<IpcPeerGoneException>(() => receiving.WaitAsync(s_soon));
        Assert.Equal(IpcFault.EndedInMessage, gone.Fault);
        _ = Posix.Close(file);
    }

    [Fact]
    public void A_wake_up_for_which_the_kernel_has_no_memory_loses_no_message() => Child.Run(RingWithoutMemory).AssertSucceeded();

    private static void RingWithoutMemory(string[] arguments)
    {
        // A thread that begins in the one that is refused would be refused too: these begin before.
        ThreadPool.SetMinThreads(8, 8);
        Parallel.For(0, 8, _ => Thread.Sleep(100));
        Task.Delay(10).Wait();
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        UseRing(a, b);
        for (byte round = 1; round <= 3; round++)
        {
            Task<IpcMessage?> receiving = b.ReceiveAsync().AsTask();
            // Asleep on the socket by now.
            Thread.Sleep(50);
            Assert.False(receiving.IsCompleted);
            byte content = round;
            using (Background refused = new(() =>
            {
                Scarcity.RefuseHere(s_isArm ? 211u : 46u, Errno.ENOBUFS);
                a.Send([content]);
            })) Assert.Null(refused.Outcome());
            // Nothing is sent after it.
            using IpcMessage message = receiving.WaitAsync(s_soon).GetAwaiter().GetResult()!;
            Assert.Equal(round, message.Payload.Span[0]);
        }
    }

    [Theory, InlineData("a wake-up"), InlineData("a switch"), InlineData("nothing"), InlineData("a second switch")]
    public void Descriptors_where_none_belong_are_closed_and_a_breach(string on)
    {
        using IDisposable quiet = Census.WithoutCollection();
        int file = Census.OpenNull(), before = Census.SettledFiles();
        int[] files = [.. Enumerable.Repeat(file, 4)];
        for (int i = 0; i < 30; i++)
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { MaxHandles = 4 });
            using RawPeer peer = RawPeer.Over(a.DuplicateHandle());
            if (on == "a second switch") Assert.Equal(0, peer.Send(RawPeer.Packet(PacketKind.Switch, 0, [])));
            PacketKind kind = on == "a wake-up" ? PacketKind.Bell : PacketKind.Switch;
            Assert.Equal(0, peer.Send(on == "nothing" ? [] : RawPeer.Packet(kind, 0, [], handles: 4), files));
            Assert.Equal(IpcFault.BadHeader, Assert.Throws<IpcProtocolException>(() => b.Receive(s_soon)).Fault);
        }
        Census.AssertFiles(before);
        _ = Posix.Close(file);
    }

    [Fact]
    public void A_count_that_goes_down_between_two_looks_is_a_breach()
    {
        Random random = Seeds.Random(55);
        for (int round = 0; round < LongRuns.Of(12, 600); round++)
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { Timeout = TimeSpan.FromMilliseconds(200) });
            using RawRing ring = new(a);
            ring.Begin();
            int length = 1 + random.Next(200_000);
            long there = PacketHeader.Size + random.Next(length), from = ring.Produced;
            ring.Write(PacketKind.Whole, length, [], there);
            bool stop = false;
            using (Background jumping = new(() =>
            {
                for (int i = 0; !Volatile.Read(ref stop); i++) Volatile.Write(ref ring.Produced, from + (i % 2 == 0 ? there : i % 64));
            }))
            {
                Exception thrown = Record.Exception(() => random.Next(2) == 0 ? b.Receive(s_soon)
                    : b.ReceiveAsync().AsTask().GetAwaiter().GetResult())!;
                Volatile.Write(ref stop, true);
                Assert.True(thrown is IpcProtocolException or TimeoutException, $"{thrown}");
            }
        }
    }

    [Fact]
    public void Accept_throws_when_its_listener_ends_as_a_client_arrives()
    {
        for (int round = 0; round < LongRuns.Of(40, 400); round++)
        {
            string name = $"@memprims-{Guid.NewGuid():N}";
            IpcListener listener = IpcListener.Listen(name);
            IpcChannel? accepted = null;
            Background accepting = new(() =>
            {
                accepted = listener.Accept(s_soon);
                Assert.NotNull(accepted);
            });
            Background connecting = new(() => IpcChannel.Connect(name, new() { Timeout = s_soon }).Dispose());
            Thread.SpinWait(Seeds.Random(round).Next(40_000));
            listener.Dispose();
            Exception? thrown = accepting.Outcome();
            Assert.True(thrown is null or ObjectDisposedException or IpcException, $"{thrown}");
            // Refused, left in the queue, or served: all are told as such.
            Exception? other = connecting.Outcome();
            Assert.True(other is null or IOException, $"{other}");
            accepted?.Dispose();
        }
    }

    [Fact]
    public async Task Clients_are_accepted_in_the_order_in_which_they_connected()
    {
        string name = $"@memprims-{Guid.NewGuid():N}";
        using IpcListener listener = IpcListener.Listen(name);
        using RawPeer silent = RawPeer.Connect(name);
        for (int round = 0; round < 10; round++)
        {
            IpcChannel[] clients = [.. Enumerable.Range(0, 30).Select(i =>
            {
                IpcChannel client = IpcChannel.Connect(name);
                client.Send([(byte)i]);
                return client;
            })];
            for (byte i = 0; i < clients.Length; i++)
            {
                using IpcChannel server = i % 2 == 0 ? listener.Accept(s_soon) : await listener.AcceptAsync();
                Assert.Equal(i, Receive(server));
                clients[i].Dispose();
            }
        }
    }

    [Fact]
    public void A_lock_file_that_is_a_link_is_not_followed()
    {
        using TempFolder folder = TempFolder.With("s", out string path);
        string elsewhere = folder.File("elsewhere");
        File.CreateSymbolicLink(path + ".lock", elsewhere);
        Assert.Contains("symbolic link", Assert.ThrowsAny<IOException>(() => IpcListener.Listen(path)).Message);
        Assert.False(File.Exists(elsewhere));
        File.WriteAllText(elsewhere, "precious");
        Assert.ThrowsAny<IOException>(() => IpcListener.Listen(path));
        Assert.Equal("precious", File.ReadAllText(elsewhere));
        File.Delete(path + ".lock");
        using IpcListener listener = IpcListener.Listen(path);
    }

    [Fact]
    public void Many_messages_that_have_just_begun_cost_little()
    {
        ChannelOptions options = new() { MaxMessageBytes = 1 << 30 };
        using Ends ends = Ends.Raw(out RawPeer peer, out IpcChannel channel, options);
        for (ulong id = 1; id <= 64; id++)
        {
            Assert.Equal(0, peer.Send(RawPeer.Packet(PacketKind.Fragment, 1 << 30, [1], id)));
            if (id % 4 == 0) Assert.False(channel.TryReceive(out _));
        }
        long before = GC.GetAllocatedBytesForCurrentThread();
        using Ends others = Ends.Raw(out RawPeer second, out IpcChannel other, options);
        for (ulong id = 1; id <= 64; id++)
        {
            Assert.Equal(0, second.Send(RawPeer.Packet(PacketKind.Fragment, 1 << 30, [1], id)));
            if (id % 4 == 0) Assert.False(other.TryReceive(out _));
        }
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.True(allocated < 64 << 20, $"{allocated >> 20} MiB for 64 bytes");
    }

    [Fact]
    public unsafe void Every_part_of_the_memory_begins_at_a_page_of_any_size()
    {
        // x64 has pages of 4 KiB; arm64 of 4, 16 or 64.
        foreach (int page in (int[])[4096, 16384, 65536, Environment.SystemPageSize])
        {
            Assert.Equal(0, RingLayout.SmallAt % page);
            Assert.Equal(0, RingLayout.Usual.LargeAt % page);
            Assert.Equal(0, RingLayout.Usual.Length % page);
        }
        Assert.True(sizeof(RingHeader) <= RingLayout.SmallAt);
        Assert.True(RingLayout.SmallAt + RingLayout.UsualSmall <= RingLayout.Usual.LargeAt);
    }

    [Fact]
    public unsafe void A_channel_takes_little_memory_until_it_carries_much()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        for (int i = 0; i < 3000; i++)
        {
            a.Send(new byte[500]);
            Assert.Equal(500, b.Receive(new byte[500], s_soon));
            b.Send(new byte[9000]);
            Assert.Equal(9000, a.Receive(new byte[9000], s_soon));
        }
        int page = Environment.SystemPageSize;
        Assert.Equal(2L * (Math.Max(sizeof(RingHeader), page) + Math.Max(RingLayout.UsualSmall, page)),
            Census.BytesOf(a) + Census.BytesOf(b));
        while (a.TrySend(new byte[9000])) continue;
        Assert.InRange(Census.BytesOf(a), 1 << 20, 2 << 20);
        Assert.InRange(Census.BytesOf(b), 4096, 64 << 10);
    }

    [Fact]
    public void Two_messages_descriptors_may_wait_and_each_goes_with_its_own()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { MaxHandles = 3 });
        using SafeFileHandle file = File.OpenHandle("/dev/null");
        using (a)
        using (b)
        {
            UseRing(a, b);
            for (int round = 0; round < 300; round++)
            {
                for (int i = 0; i < 12; i++) a.Send([(byte)i], [.. Enumerable.Repeat<SafeHandle>(file, i % 4)]);
                for (int i = 0; i < 12; i++)
                {
                    using IpcMessage message = b.Receive(s_soon)!;
                    Assert.Equal((i, i % 4), (message.Payload.Span[0], message.Handles.Count));
                }
            }
        }
    }
}
