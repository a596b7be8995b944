using System.Runtime.InteropServices;

namespace MemPrims.Channels.Tests;

// Messages through the ring: their order where they change between ring and packets, sleeping and waking, a full ring, at the end of
// either side.
[Collection(Alone.Name)]
public class RingTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    // A hello names two sizes; what is taken of them becomes this process's memory.
    [Theory]
    [InlineData(4096, 4096, true)]
    [InlineData(32 << 10, 1 << 20, true)]
    [InlineData(2048, 1 << 20, false)]
    [InlineData(12_288, 1 << 20, false)]
    [InlineData(64 << 10, 1 << 20, false)]
    [InlineData(4096, 2 << 20, false)]
    [InlineData(4096, 0, false)]
    [InlineData(int.MinValue, 1 << 20, false)]
    public void The_rings_of_a_peer_are_powers_of_two_between_bounds(int small, int large, bool isSound)
    {
        RingLayout layout = new(small, large);
        Assert.Equal(isSound, layout.IsSound);
        if (!isSound) return;
        Assert.Equal(0, layout.LargeAt % RingLayout.Alignment);
        Assert.InRange(layout.LargeAt - RingLayout.SmallAt, small, small + RingLayout.Alignment - 1);
    }

    [Fact]
    public void Messages_of_all_kinds_keep_their_order_however_they_are_received()
    {
        Random random = Seeds.Random(71);
        for (int round = 0; round < LongRuns.Of(5, 12) * Seeds.Scale; round++)
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new()
            {
                MaxHandles = 2,
                SpinMicroseconds = random.Next(2) * 20
            });
            int seed = random.Next();
            const int messages = 400;
            using Background sending = new(() => SendAll(a, new(seed), messages));
            // Some rounds begin with packets, since nobody receives yet.
            Thread.Sleep(random.Next(3) * 5);
            ReceiveAll(b, new(seed), random, messages);
        }
    }

    private static void SendAll(IpcChannel to, Random random, int messages)
    {
        using SafeFileHandle file = File.OpenHandle("/dev/null");
        for (int i = 0; i < messages; i++)
        {
            (int length, int files) = Draw(random);
            byte[] bytes = Bytes.Stamped(1, i, length);
            if (files > 0) to.Send(bytes, [.. Enumerable.Repeat<SafeHandle>(file, files)]);
            else if (i % 3 == 0) to.Send(Bytes.InPieces(bytes, 37));
            else if (i % 7 == 0) to.SendAsync(bytes).AsTask().GetAwaiter().GetResult();
            else to.Send(bytes);
            if (i % 97 == 0) Thread.Sleep(30);
        }
    }

    private static (int Length, int Files) Draw(Random random)
    {
        int length = random.Next(8) switch { 0 => 200_000, 1 => 20_000, 2 => 4000, _ => 40 } + random.Next(100);
        return (length, random.Next(9) == 0 ? random.Next(1, 3) : 0);
    }

    private static void ReceiveAll(IpcChannel from, Random same, Random random, int messages)
    {
        byte[] buffer = new byte[300_000];
        for (int i = 0; i < messages; i++)
        {
            (int length, int handles) = Draw(same);
            ReadOnlySpan<byte> got;
            if (handles == 0 && random.Next(3) == 0) got = buffer.AsSpan(0, from.Receive(buffer, s_soon));
            else
            {
                using IpcMessage message = (random.Next(3) switch
                {
                    0 => from.ReceiveAsync(s_soon).AsTask().GetAwaiter().GetResult(),
                    1 => Poll(from),
                    _ => from.Receive(s_soon),
                })!;
                Assert.Equal(handles, message.Handles.Count);
                message.Payload.CopyTo(buffer);
                got = buffer.AsSpan(0, message.Payload.Length);
            }
            Assert.Equal((1, i), Bytes.CheckStamp(got));
            Assert.Equal(Bytes.Stamped(1, i, length).Length, got.Length);
            if (i % 89 == 0) Thread.Sleep(30);
        }
    }

    private static IpcMessage? Poll(IpcChannel from)
    {
        IpcMessage? message;
        while (!from.TryReceive(out message)) Thread.Yield();
        return message;
    }

    [Theory, InlineData(300_000), InlineData(3_000_000)]
    public void What_a_peer_sent_before_it_ended_is_received_after_a_send_failed_in_its_middle(int length)
    {
        foreach (bool shared in (bool[])[true, false])
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared });
            if (shared) UseRing(a, b);
            for (byte i = 0; i < 5; i++) b.Send([i]);
            using (Background ending = new(() =>
            {
                Thread.Sleep(100);
                b.Dispose();
            }))
            {
                IpcException gone = Assert.ThrowsAny<IpcException>(() =>
                {
                    for (int i = 0; i < 20; i++) a.Send(new byte[length]);
                });
                Assert.Equal(IpcFault.PeerGone, gone.Fault);
            }
            Assert.Equal(IpcFault.PeerGone, Assert.ThrowsAny<IpcException>(() => a.Send([1])).Fault);
            for (byte i = 0; i < 5; i++) Assert.Equal(i, Receive(a));
            Assert.Equal(IpcFault.PeerLeftMessagesUnread, Assert.ThrowsAny<IpcException>(() => a.Receive(s_soon)).Fault);
            Assert.Null(a.Receive(s_soon));
        }
    }

    [Fact]
    public void A_send_that_is_cut_by_time_says_whether_the_channel_goes_on()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { Timeout = TimeSpan.FromMilliseconds(100) });
        UseRing(a, b);
        while (a.TrySend(new byte[60_000])) continue;
        Assert.DoesNotContain("broken", Assert.Throws<TimeoutException>(() => a.Send(new byte[60_000])).Message);
        Assert.False(a.IsBroken);
        b.Receive(s_soon)!.Dispose();
        Assert.Contains("broken", Assert.Throws<TimeoutException>(() => a.Send(new byte[3_000_000])).Message);
        Assert.True(a.IsBroken);
    }

    [Fact]
    public void A_packet_that_is_met_before_older_entries_of_the_ring_waits_for_them_also_where_the_ring_ends_after_them()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        using RawRing ring = new(a);
        // More entries than the receiver takes between two looks at the socket.
        const int entries = 700;
        ring.Begin();
        for (int i = 0; i < entries; i++) ring.Write(PacketKind.Whole, 4, BitConverter.GetBytes(i));
        Assert.Equal(0, ring.Peer.Send(RawPeer.Packet(PacketKind.Whole, 4, BitConverter.GetBytes(entries))));
        Assert.Equal(0, ring.Peer.Send(RawPeer.Packet(PacketKind.Whole, 4, BitConverter.GetBytes(entries + 1))));
        ring.Dispose();
        a.Dispose();
        byte[] four = new byte[4];
        for (int i = 0; i < entries + 2; i++)
        {
            Assert.Equal(4, b.Receive(four, s_soon));
            Assert.Equal(i, BitConverter.ToInt32(four));
        }
        Assert.Equal(-1, b.Receive(four, s_soon));
    }

    [Fact]
    public void A_packet_is_met_although_the_ring_is_never_empty()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        using RawRing ring = new(a);
        ring.Begin();
        for (int i = 0; i < 300; i++) ring.Write(PacketKind.Whole, 1, [1]);
        Assert.Equal(0, ring.Peer.Send(RawPeer.Packet(PacketKind.Whole, 1, [2])));
        int received = 0;
        for (byte got = 1; got == 1; received++)
        {
            got = Receive(b);
            ring.Write(PacketKind.Whole, 1, [1]);
            Assert.True(received < 2000, "2,000 entries were taken before a packet that waits");
        }
    }

    [Fact]
    public void Packets_without_end_in_place_of_descriptors_are_an_error_and_no_wait()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { MaxHandles = 1 });
        using RawRing ring = new(a);
        ring.Begin();
        bool stop = false;
        using Background flood = new(() =>
        {
            byte[] small = RawPeer.Packet(PacketKind.Whole, 4, [1, 2, 3, 4]);
            while (!Volatile.Read(ref stop)) ring.Peer.Send(small);
        });
        try
        {
            ring.Write(PacketKind.Whole, 4, [1, 2, 3, 4], handles: 1);
            IpcException? thrown = null;
            while (thrown is null)
                try
                {
                    b.Receive(s_soon)!.Dispose();
                }
                catch (IpcException e)
                {
                    thrown = e;
                }
            Assert.Equal(IpcFault.UnwantedHandles, thrown.Fault);
        }
        finally
        {
            Volatile.Write(ref stop, true);
        }
    }

    [Fact]
    public unsafe void Bytes_in_a_ring_that_is_not_in_use_do_not_hide_the_end()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        a.Send([1]);
        a.Shared()->Produced = 640;
        a.Dispose();
        Assert.Equal(1, Receive(b));
        Assert.Null(b.Receive(s_soon));
        Assert.False(b.TryReceive(out _));
        Assert.True(b.HasEnded);
    }

    [Fact]
    public void The_rest_of_a_long_message_is_not_slept_over()
    {
        // After 4 MiB the receiver looks at its time. The rest is in the ring by then, and nothing follows it that would wake a sleeper.
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        UseRing(a, b);
        int slept = 0;
        byte[] buffer = new byte[6 << 20];
        for (int length = 4_300_000; length < 5_200_000; length += 30_000)
        {
            using Background sending = new(() => a.Send(buffer.AsSpan(0, length)));
            long began = System.Diagnostics.Stopwatch.GetTimestamp();
            Assert.Equal(length, b.Receive(buffer, s_soon));
            if (System.Diagnostics.Stopwatch.GetElapsedTime(began).TotalMilliseconds > 400) slept++;
        }
        Assert.InRange(slept, 0, 1);
    }

    [Fact]
    public void The_end_of_a_peer_is_not_slept_over()
    {
        // The receiver has looked in vain and is about to sleep when the peer ends: nothing would wake it for 20 ms.
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        UseRing(a, b);
        a.Dispose();
        long before = ThreadSwitches();
        for (int i = 0; i < 20; i++) Assert.False(ReaderOf(b).Sleep(20));
        Assert.True(ThreadSwitches() - before < 10, "it slept");
    }

    // How often this thread gave its processor up by itself.
    private static long ThreadSwitches() => long.Parse(File.ReadLines("/proc/thread-self/status")
        .First(line => line.StartsWith("voluntary_ctxt_switches", StringComparison.Ordinal)).Split(':')[1]);

    [Fact]
    public void The_large_ring_has_all_its_room_while_the_small_one_is_taken()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        UseRing(a, b);
        for (byte i = 0; i < 4; i++) a.Send(Enumerable.Repeat(i, 9000).ToArray());
        Assert.Equal(0, Receive(b));
        // Beside the fourth message and the 64 bytes that stay free.
        byte[] rest = new byte[RingLayout.UsualLarge - 64 - Packets.EntrySize(9000) - PacketHeader.Size];
        Assert.False(a.TrySend(new byte[rest.Length + 1]));
        Assert.True(a.TrySend(rest));
        for (int i = 1; i < 4; i++) Assert.Equal(i, Receive(b));
        Assert.Equal(rest.Length, b.Receive(new byte[rest.Length], TimeSpan.FromSeconds(20)));
    }

    [Fact]
    public async Task The_last_step_of_a_message_waits_for_the_room_of_the_whole_entry()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        UseRing(a, b);
        while (a.TrySend(new byte[10_000])) continue;
        while (a.TrySend([])) continue;
        // Room for the header and the payload, and not for what follows them up to the next entry.
        const int length = 5000, room = 64 + 32 + length + 8;
        Assert.True(64 + Packets.EntrySize(length) > room);
        long used = Free(a, b, room);
        Task sending = Task.Run(() => a.Send(new byte[length]));
        await Task.Delay(50);
        Assert.False(sending.IsCompleted);
        Assert.InRange(Used(a, b), used, RingLayout.UsualLarge - 64);
        Free(a, b, 64 << 10);
        await sending.WaitAsync(s_soon);
    }

    // Says in the receiver's name that it has taken so much that there is this room; the bytes in use then.
    private static unsafe long Free(IpcChannel from, IpcChannel to, int room)
    {
        Volatile.Write(ref to.Shared()->Consumed, Volatile.Read(ref from.Shared()->Produced) - RingLayout.UsualLarge + room);
        return Used(from, to);
    }

    private static unsafe long Used(IpcChannel from, IpcChannel to) =>
        Volatile.Read(ref from.Shared()->Produced) - Volatile.Read(ref to.Shared()->Consumed);

    [Fact]
    public void Nobody_goes_to_sleep_beside_an_entry_that_has_come()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        UseRing(a, b);
        Assert.True(ReaderOf(b).TryTellSleep());
        // Asleep now, so this sends a wake-up too.
        a.Send([1]);
        Assert.Equal(1, WakeUps(b));
        Assert.False(ReaderOf(b).TryTellSleep());
        Assert.Equal(1, Receive(b));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task An_end_that_is_met_before_the_rings_last_entries_waits_for_them(bool leavesUnread)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        using (b)
        using (RawRing ring = new(a))
        {
            ring.Begin();
            if (leavesUnread) b.Send([9]);
            Task<byte> first = Task.Run(() => Receive(b));
            for (int i = 0; i < 1000 && !SleepsOnSocket(b); i++) await Task.Delay(10);
            // Nobody wakes the sleeper but the end.
            for (byte i = 0; i < 3; i++) ring.Write(PacketKind.Whole, 1, [i]);
            ring.Dispose();
            a.Dispose();
            Assert.Equal(0, await first.WaitAsync(s_soon));
            for (byte i = 1; i < 3; i++) Assert.Equal(i, Receive(b));
            if (leavesUnread) Assert.Equal(IpcFault.PeerLeftMessagesUnread,
                Assert.ThrowsAny<IpcException>(() => b.Receive(s_soon)).Fault);
            Assert.Null(b.Receive(s_soon));
            Assert.True(b.HasEnded);
        }
    }

    private static unsafe bool SleepsOnSocket(IpcChannel channel) => (Volatile.Read(ref channel.Shared()->SleepsOnSocket) & 1) != 0;

    [Fact]
    public void A_peer_that_ends_leaves_what_it_sent_and_is_told_of_when_it_left_messages()
    {
        foreach (bool unread in (bool[])[false, true])
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
            UseRing(a, b);
            UseRing(b, a);
            for (byte i = 0; i < 3; i++) b.Send([i]);
            a.Send([9]);
            if (!unread) Assert.Equal(9, Receive(b));
            b.Dispose();
            Assert.Equal(IpcFault.PeerGone, Assert.ThrowsAny<IpcException>(() => a.Send([1])).Fault);
            for (byte i = 0; i < 3; i++) Assert.Equal(i, Receive(a));
            if (unread) Assert.Equal(IpcFault.PeerLeftMessagesUnread,
                Assert.ThrowsAny<IpcException>(() => a.Receive(s_soon)).Fault);
            Assert.Null(a.Receive(s_soon));
        }
    }

    [Fact]
    public void A_sleeper_on_the_socket_gets_one_packet_for_each_sleep_and_an_end_that_has_only_these_left_completes()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        UseRing(a, b);
        PretendSleep(b, 1);
        for (byte i = 0; i < 3; i++) a.Send([i]);
        Assert.Equal(1, WakeUps(b));
        PretendSleep(b, 3);
        a.Send([3]);
        Assert.Equal(2, WakeUps(b));
        PretendSleep(b, 4);
        a.Send([4]);
        Assert.Equal(2, WakeUps(b));
        for (byte i = 0; i < 5; i++) Assert.Equal(i, Receive(b));
        a.Dispose();
        Assert.Null(b.Receive(s_soon));
    }

    private static unsafe void PretendSleep(IpcChannel channel, int number) => channel.Shared()->SleepsOnSocket = number;

    // How many wake-ups wait in an end's socket.
    private static unsafe int WakeUps(IpcChannel channel)
    {
        // SIOCINQ of a SEQPACKET socket is the length of all packets.
        int length = 0;
        Assert.Equal(0, Posix.Syscall(RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 29 : 16, channel.Socket.File,
            0x541B, (nint)(&length), 0, 0, 0));
        return length / PacketHeader.Size;
    }

    [Fact]
    public async Task Wake_ups_without_end_do_not_hold_a_receive_beyond_its_time()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        UseRing(a, b);
        using RawPeer raw = RawPeer.Over(a.DuplicateHandle());
        bool stop = false;
        using (Background flood = new(() =>
        {
            byte[] bell = RawPeer.Packet(PacketKind.Bell, 0, []);
            while (!Volatile.Read(ref stop)) raw.Send(bell);
        }))
        {
            Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.FromMilliseconds(300)));
            await Assert.ThrowsAsync<TimeoutException>(async () => await b.ReceiveAsync(TimeSpan.FromMilliseconds(300)));
            a.Send([7]);
            Assert.Equal(7, Receive(b));
            Volatile.Write(ref stop, true);
        }
    }

    [Fact]
    public async Task A_full_ring_is_waited_for_without_a_thread()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        UseRing(a, b);
        int sent = 0;
        while (a.TrySend(Bytes.Stamped(0, sent, 10_000))) sent++;
        ValueTask waiting = a.SendAsync(Bytes.Stamped(0, sent, 10_000));
        await Task.Delay(20);
        Assert.False(waiting.IsCompleted);
        using CancellationTokenSource soon = new(30);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await a.SendAsync(new byte[10_000], soon.Token));
        for (int i = 0; i <= sent; i++)
        {
            using IpcMessage message = (await b.ReceiveAsync(s_soon))!;
            Assert.Equal((0, i), Bytes.CheckStamp(message.Payload.Span));
        }
        await waiting;
        Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
    }

    [Fact]
    public void A_killed_peer_is_noticed_by_a_sender_that_finds_room()
    {
        using TempFolder folder = new();
        using IpcListener listener = IpcListener.Listen(folder.File("s"));
        foreach (string how in (string[])["asleep", "between messages"])
        {
            using System.Diagnostics.Process child = Child.Start(WaitToBeKilled, [folder.File("s"), how]);
            using IpcChannel channel = listener.Accept(TimeSpan.FromSeconds(60));
            channel.Send([1]);
            Assert.Equal(1, Receive(channel));
            channel.Send([2]);
            Assert.Equal(2, Receive(channel));
            if (how == "asleep") Thread.Sleep(200);
            child.Kill();
            child.WaitForExit();
            int sent = 0;
            IpcException gone = Assert.ThrowsAny<IpcException>(() =>
            {
                for (; sent < 100; sent++) channel.Send([3]);
            });
            Assert.Equal(IpcFault.PeerGone, gone.Fault);
            Assert.True(sent <= 32, $"{sent} messages went to a process that was dead");
        }
    }

    private static void WaitToBeKilled(string[] arguments)
    {
        using IpcChannel channel = IpcChannel.Connect(arguments[0]);
        for (byte i = 1; i <= 2; i++)
        {
            channel.Receive(s_soon)!.Dispose();
            channel.Send([i]);
        }
        if (arguments[1] == "asleep") channel.Receive();
        else Thread.Sleep(Timeout.Infinite);
    }

    private static RingReader ReaderOf(IpcChannel channel) => channel.Receiver.Ring!;

    // After this the first end sends by the ring.
    internal static void UseRing(IpcChannel from, IpcChannel to)
    {
        Assert.Throws<TimeoutException>(() => to.Receive(TimeSpan.Zero));
        from.Send([0]);
        Assert.Equal(0, Receive(to));
    }

    internal static byte Receive(IpcChannel channel)
    {
        using IpcMessage message = channel.Receive(s_soon)!;
        return message.Payload.Span[0];
    }
}
