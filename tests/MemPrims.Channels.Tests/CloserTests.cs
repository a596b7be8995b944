using System.Runtime.InteropServices;

namespace MemPrims.Channels.Tests;

// The threads that close unwanted descriptors: how many, how many descriptors wait for them, who waits for them.
[Collection(Alone.Name)]
public class CloserTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20), s_never = TimeSpan.FromHours(1);
    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(50);
    private static readonly ChannelOptions s_four = new() { MaxHandles = 4 };

    private static SafeHandle[] Handles(int count, Action release) =>
        [.. Enumerable.Range(0, count).Select(_ => (SafeHandle)new TestHandle(release))];

    private static void Until(Func<bool> there, string what)
    {
        for (int i = 0; i < 3000 && !there(); i++) Thread.Sleep(10);
        Assert.True(there(), what);
    }

    [Fact]
    public void Who_adds_to_a_full_backlog_waits_for_room()
    {
        using ManualResetEventSlim open = new();
        int closed = 0;
        Action release = () =>
        {
            open.Wait();
            Interlocked.Increment(ref closed);
        };
        Closer closer = new(2, 10, patience: s_never, s_never);
        closer.Add(Handles(10, release));
        using (Background adding = new(() => closer.Add(Handles(5, release))))
        {
            Until(() => closer.WaitingForRoom == 1, "nobody waits");
            Assert.Equal(10, closer.Backlog);
            open.Set();
        }
        Until(() => closer.Backlog == 0, "not closed");
        Assert.Equal(15, closed);
    }

    [Fact]
    public void Nobody_waits_for_room_for_ever()
    {
        using ManualResetEventSlim open = new();
        Closer closer = new(2, 10, patience: s_short, s_never);
        closer.Add(Handles(10, open.Wait));
        closer.Add(Handles(5, open.Wait));
        Assert.Equal(15, closer.Backlog);
        Assert.Equal(2, closer.Threads);
        open.Set();
        Until(() => closer.Backlog == 0, "not closed");
    }

    [Fact]
    public void A_thread_of_the_pool_waits_a_tenth_of_the_time()
    {
        using ManualResetEventSlim open = new(), poolIsDone = new();
        Closer closer = new(1, 10, patience: TimeSpan.FromSeconds(40), s_never);
        closer.Add(Handles(10, open.Wait));
        using Background adding = new(() => closer.Add(Handles(1, open.Wait)));
        Until(() => closer.WaitingForRoom == 1, "nobody waits");
        ThreadPool.UnsafeQueueUserWorkItem(_ =>
        {
            closer.Add(Handles(1, open.Wait));
            poolIsDone.Set();
        }, null);
        Assert.True(poolIsDone.Wait(s_soon));
        Assert.Equal((11, 1), (closer.Backlog, closer.WaitingForRoom));
        open.Set();
    }

    [Fact]
    public void More_than_the_backlog_holds_waits_only_for_an_empty_one()
    {
        int closed = 0;
        Closer closer = new(1, 10, patience: s_never, s_never);
        for (int i = 0; i < 3; i++) closer.Add(Handles(30, () => Interlocked.Increment(ref closed)));
        Until(() => closer.Backlog == 0, "not closed");
        Assert.Equal(90, closed);
    }

    [Fact]
    public void A_close_that_hangs_holds_up_none_of_its_message()
    {
        using ManualResetEventSlim open = new();
        int closed = 0;
        Closer closer = new(2, 100, s_never, s_never);
        closer.Add([new TestHandle(open.Wait), .. Handles(50, () => Interlocked.Increment(ref closed))]);
        Until(() => closer.Backlog == 1, "the others wait too");
        Assert.Equal(50, closed);
        open.Set();
        Until(() => closer.Backlog == 0, "not closed");
    }

    [Fact]
    public void From_many_threads_each_is_closed_once_and_the_bound_holds()
    {
        const int most = 20, adders = 6, rounds = 2_000, threads = 3;
        int closed = 0, added = 0, longest = 0, mostThreads = 0;
        Closer closer = new(threads, most, patience: s_never, TimeSpan.FromMilliseconds(1));
        Action release = () =>
        {
            // Races lose a sample now and then: of 40,000 enough remain.
            if (closer.Backlog > longest) longest = closer.Backlog;
            if (closer.Threads > mostThreads) mostThreads = closer.Threads;
            Interlocked.Increment(ref closed);
        };
        Background[] all = [.. Enumerable.Range(0, adders).Select(adder => new Background(() =>
        {
            Random random = Seeds.Random(adder);
            for (int i = 0; i < rounds; i++)
            {
                int count = random.Next(8);
                Interlocked.Add(ref added, count);
                closer.Add(Handles(count, release));
                if (i % 500 == 0) Thread.Sleep(5);
            }
        }))];
        foreach (Background one in all) one.Dispose();
        Until(() => closer.Backlog == 0 && closer.Threads == 0, "not closed, or a thread stays");
        Assert.Equal(added, closed);
        Assert.InRange(longest, 1, most);
        Assert.InRange(mostThreads, 1, threads);
    }

    [Fact]
    public void Idle_threads_end_and_come_again()
    {
        int closed = 0;
        Closer closer = new(3, 100, s_never, idleTime: s_short);
        for (int round = 1; round <= 3; round++)
        {
            closer.Add(Handles(50, () => Interlocked.Increment(ref closed)));
            Until(() => closer.Threads == 0, "a thread stays");
            Assert.Equal((50 * round, 0), (closed, closer.Backlog));
        }
    }

    [Fact]
    public void What_is_closed_already_costs_nothing()
    {
        Closer closer = new(1, 10, s_never, s_never);
        TestHandle closed = new(() => { });
        closed.Dispose();
        closer.Add([closed, closed]);
        closer.Add([]);
        Assert.Equal((0, 0), (closer.Backlog, closer.Threads));
    }

    // In a process of its own: what is thrown on a thread and not caught ends the process.
    [Fact]
    public void A_handle_that_throws_ends_no_thread() => Child.Run(Throw).AssertSucceeded();

    private static void Throw(string[] arguments)
    {
        int closed = 0;
        Closer closer = new(1, 10, s_never, s_never);
        closer.Add([new TestHandle(() => throw new InvalidOperationException()), new TestHandle(() => closed++)]);
        Until(() => closer.Backlog == 0, "not closed");
        Assert.Equal((1, 1), (closed, closer.Threads));
    }

    [Fact]
    public void Where_no_thread_can_be_had_the_caller_closes() => Child.Run(CloseWithoutThreads).AssertSucceeded();

    private static void CloseWithoutThreads(string[] arguments)
    {
        int closed = 0;
        Closer closer = new(2, 10, s_never, s_never);
        using Background refused = new(() =>
        {
            bool isArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;
            Scarcity.RefuseHere(435, Errno.EAGAIN);
            Scarcity.RefuseHere(isArm ? 220u : 56u, Errno.EAGAIN);
            int caller = Environment.CurrentManagedThreadId;
            closer.Add(Handles(5, () => closed += Environment.CurrentManagedThreadId == caller ? 1 : 100));
            Assert.Equal((5, 0, 0), (closed, closer.Backlog, closer.Threads));
        });
    }

    [Fact]
    public void A_process_ends_though_a_close_hangs() => Child.Run(EndWithStuck).AssertSucceeded();

    private static void EndWithStuck(string[] arguments)
    {
        Give(new StuckSocket());
        Until(() => Closer.Usual.Backlog <= 1, "the others were not closed");
        Assert.Equal(1, Closer.Usual.Backlog);
    }

    // A stranger sends these to a channel, with four others, which is more than the channel takes.
    private static void Give(params StuckSocket[] stuck) => Give(4, [.. stuck.Select(one => one.File)]);

    private static void Give(int count, params int[] others)
    {
        using Ends ends = Ends.Raw(out RawPeer peer, out IpcChannel channel, s_four);
        int file = Census.OpenNull();
        int[] files = [.. others, .. Enumerable.Repeat(file, count)];
        Assert.Equal(0, peer.Send(RawPeer.Packet(PacketKind.Whole, 1, [7], handles: (byte)files.Length), files));
        foreach (int number in files.Distinct()) Assert.Equal(0, Posix.Close(number));
        Assert.Equal(IpcFault.UnwantedHandles, Assert.ThrowsAny<IpcException>(() => channel.Receive(s_soon)).Fault);
    }

    [Fact]
    public void A_stranger_whose_descriptor_hangs_holds_up_no_other()
    {
        Until(() => Closer.Usual.Backlog == 0, "another test left some");
        int files = Census.Files;
        using (StuckSocket stuck = new())
        {
            Give(stuck);
            for (int i = 0; i < 20; i++) Give(253);
            Until(() => Closer.Usual.Backlog <= 1, "the others were not closed");
            Assert.Equal(1, Closer.Usual.Backlog);
        }
        Until(() => Closer.Usual.Backlog == 0, "it hangs for ever");
        Census.AssertFiles(files);
    }

    [Fact]
    public void Receiving_goes_on_though_every_thread_hangs()
    {
        Until(() => Closer.Usual.Backlog == 0, "another test left some");
        int files = Census.Files;
        StuckSocket[] stuck = [.. Enumerable.Range(0, 4).Select(_ => new StuckSocket())];
        try
        {
            Give(stuck);
            Until(() => Closer.Usual.Threads == 4, "not all threads hang");
            for (int i = 0; i < 4; i++) Give(253);
            // Nothing was closed: four hang, the four that came with them and all others wait.
            Assert.Equal(8 + (4 * 253), Closer.Usual.Backlog);
        }
        finally
        {
            foreach (StuckSocket one in stuck) one.Dispose();
        }
        Until(() => Closer.Usual.Backlog == 0, "they hang for ever");
        Census.AssertFiles(files);
    }

    // In a process of its own: a thread that closes such a descriptor itself hangs for an hour.
    [Theory, InlineData("a message"), InlineData("an empty packet"), InlineData("the second of two empty packets")]
    [InlineData("a connection whose handshake fails"), InlineData("a message before a reset")]
    public void What_nobody_received_holds_up_nobody(string way) => Child.Run(LeaveUnread, [way]).AssertSucceeded();

    private static void LeaveUnread(string[] arguments)
    {
        using TempFolder folder = new();
        using Background user = new(() =>
        {
            StuckSocket stuck = new();
            byte[] first = RawPeer.Packet(PacketKind.Whole, 1, [7], handles: 1);
            if (arguments[0].Contains("handshake", StringComparison.Ordinal))
            {
                using IpcListener listener = IpcListener.Listen(folder.File("s"));
                using RawPeer client = RawPeer.Connect(folder.File("s"));
                Assert.Equal(0, client.Send(first));
                Assert.Equal(0, client.Send(first, stuck.File));
                Assert.Equal(0, Posix.Close(stuck.File));
                Assert.Equal(IpcFault.BadHandshake, Assert.ThrowsAny<IpcException>(() => listener.Accept(s_soon)).Fault);
            }
            else
            {
                (RawPeer peer, IpcChannel channel) = RawPeer.Create(s_four);
                if (arguments[0].Contains("two", StringComparison.Ordinal)) Assert.Equal(0, peer.Send([]));
                Assert.Equal(0, peer.Send(arguments[0].Contains("empty", StringComparison.Ordinal) ? [] : first, stuck.File));
                Assert.Equal(0, Posix.Close(stuck.File));
                if (arguments[0].Contains("reset", StringComparison.Ordinal))
                {
                    channel.Send([1]);
                    peer.Dispose();
                }
                channel.Dispose();
            }
            // The socket itself is closed there, and hangs.
            Assert.Equal(1, Closer.Usual.Backlog);
        }, s_soon);
    }

    // In a process of its own: a thread that closes such a descriptor itself hangs for an hour.
    [Theory, InlineData(false), InlineData(true)]
    public void A_message_that_is_disposed_holds_up_nobody(bool bare) => Child.Run(DisposeMessage, [$"{bare}"]).AssertSucceeded();

    private static void DisposeMessage(string[] arguments)
    {
        bool bare = bool.Parse(arguments[0]);
        using Background user = new(() =>
        {
            (RawPeer peer, IpcChannel channel) = RawPeer.Create(s_four);
            StuckSocket stuck = new(bare);
            Assert.Equal(0, peer.Send(RawPeer.Packet(PacketKind.Whole, 1, [7], handles: 1), stuck.File));
            Assert.Equal(0, Posix.Close(stuck.File));
            IpcMessage message = channel.Receive(s_soon)!;
            SafeHandle handle = message.Handles[0];
            message.Dispose();
            message.Dispose();
            if (bare) Until(() => handle.IsClosed && Closer.Usual.Backlog == 0, "it was not closed");
            else Assert.Equal(1, Closer.Usual.Backlog);
        }, s_soon);
    }

    [Fact]
    public void Strangers_sockets_that_linger_hold_no_thread() => Child.Run(GiveLingering).AssertSucceeded();

    private static void GiveLingering(string[] arguments)
    {
        using Background user = new(() =>
        {
            for (int i = 0; i < 8; i++) Give(new StuckSocket(bare: true));
            Until(() => Closer.Usual.Backlog == 0, "they hang");
        }, s_soon);
    }

    [Theory, InlineData(false), InlineData(true)]
    public void Those_that_nobody_received_hold_no_thread(bool afterEmpty) =>
        Child.Run(LeaveLingering, [$"{afterEmpty}"]).AssertSucceeded();

    private static void LeaveLingering(string[] arguments)
    {
        using Background user = new(() =>
        {
            for (int i = 0; i < 8; i++)
            {
                using Ends ends = Ends.Raw(out RawPeer peer, out IpcChannel channel, s_four);
                StuckSocket[] stuck = [.. Enumerable.Range(0, 3).Select(_ => new StuckSocket(bare: true))];
                byte[] packet = bool.Parse(arguments[0]) ? [] : RawPeer.Packet(PacketKind.Whole, 1, [7], handles: 1);
                foreach (StuckSocket one in stuck)
                {
                    Assert.Equal(0, peer.Send(packet, one.File));
                    Assert.Equal(0, Posix.Close(one.File));
                }
                channel.Dispose();
                // The sender is told that they were not received.
                Assert.Equal(Errno.ECONNRESET, peer.Send([1]));
            }
            Until(() => Closer.Usual.Backlog == 0, "they hang");
        }, s_soon);
    }

    [Fact]
    public void A_lingering_socket_that_was_taken_keeps_its_option()
    {
        using Ends ends = Ends.Raw(out RawPeer peer, out IpcChannel channel, s_four);
        using StuckSocket stuck = new(bare: true);
        Assert.Equal(0, peer.Send(RawPeer.Packet(PacketKind.Whole, 1, [7], handles: 1), stuck.File));
        using IpcMessage message = channel.Receive(s_soon)!;
        using SafeHandle taken = message.TakeHandle(0);
        message.Dispose();
        Assert.Equal((1, 3600), LingerOf((int)taken.DangerousGetHandle()));
        stuck.Dispose();
        Assert.Equal(0, Posix.Close(stuck.File));
    }

    private static unsafe (int IsOn, int Seconds) LingerOf(int file)
    {
        Posix.Linger linger;
        uint length = (uint)sizeof(Posix.Linger);
        Assert.Equal(0, Posix.Getsockopt(file, Posix.SOL_SOCKET, Posix.SO_LINGER, &linger, &length));
        return (linger.IsOn, linger.Seconds);
    }

    [Fact]
    public void A_flood_is_closed_while_the_thread_pool_stands_still() => Child.Run(FloodWithoutPool).AssertSucceeded();

    private static void FloodWithoutPool(string[] arguments)
    {
        Give(253);
        ThreadPool.GetMinThreads(out int workers, out int ports);
        Assert.True(ThreadPool.SetMaxThreads(workers, ports));
        using ManualResetEventSlim open = new();
        for (int i = 0; i < workers; i++) ThreadPool.UnsafeQueueUserWorkItem(_ => open.Wait(), null);
        Limits.Files(1024);
        for (int i = 0; i < 400; i++) Give(253);
        Until(() => Closer.Usual.Backlog == 0, "not closed");
        open.Set();
    }
}
