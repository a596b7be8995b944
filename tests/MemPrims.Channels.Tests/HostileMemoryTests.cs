using MemPrims.Channels.Native;
using MemPrims.Channels.Shared;

namespace MemPrims.Channels.Tests;

/// <summary>A peer that writes what it likes to its shared memory, whenever it likes.</summary>
[Collection(Alone.Name)]
public class HostileMemoryTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);
    private static readonly ChannelOptions s_quick = new() { Timeout = TimeSpan.FromMilliseconds(250), MaxMessageBytes = 8 << 20 };

    [Fact]
    public void Random_counters_at_any_moment_end_in_messages_or_typed_errors()
    {
        Random random = Seeds.Random(41);
        Scribbled(random);
        int files = Census.Files, maps = Census.Maps, errors = 0;
        for (int round = 0; round < 30 * Seeds.Scale; round++) errors += Scribbled(random);
        Assert.True(errors > 5, $"only {errors} errors: the scribbler has lost its aim");
        Census.AssertFiles(files);
        Assert.True(Census.Maps <= maps);
    }

    private static unsafe int Scribbled(Random random)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_quick with { SegmentCount = 2, SegmentBytes = 50_000 });
        int errors = 0, seed = random.Next();
        bool stop = false;
        using (a)
        using (b)
        {
            ShareHeader* hostile = b.SharedForTests;
            using Background echo = new(() => Typed(() =>
            {
                while (b.Receive(s_soon) is { } message)
                    using (message) b.Send(message.Payload.Span);
            }));
            using (Background scribbler = new(() =>
            {
                Random wild = new(seed);
                Thread.Sleep(wild.Next(10));
                while (!Volatile.Read(ref stop))
                {
                    Scribble(hostile, wild);
                    Thread.Sleep(wild.Next(2));
                }
            }))
            {
                if (!Typed(() =>
                {
                    for (int i = 0; i < 60; i++)
                    {
                        a.Send(new byte[i % 3 == 0 ? 2_000_000 : 60_000]);
                        if (i % 5 == 0) a.Send(a.SegmentPool!.Rent(TimeSpan.FromMilliseconds(50)), 1000);
                        using IpcMessage? message = a.Receive(TimeSpan.FromMilliseconds(200));
                        if (message is null) return;
                    }
                })) errors++;
                Volatile.Write(ref stop, true);
            }
            a.Dispose();
        }
        return errors;
    }

    private static unsafe void Scribble(ShareHeader* hostile, Random wild)
    {
        long value = wild.Next(4) switch { 0 => wild.NextInt64(long.MinValue, long.MaxValue), 1 => wild.Next(1 << 21), 2 => -1,
            _ => hostile->Produced + wild.Next(-5, 100_000) };
        switch (wild.Next(10))
        {
            case 0: Volatile.Write(ref hostile->Produced, value); break;
            case 1: Volatile.Write(ref hostile->Consumed, value); break;
            case 2: Volatile.Write(ref hostile->SleepsOnProduced, (int)value); break;
            case 3: Volatile.Write(ref hostile->CreditCount, (int)value); break;
            case 4: Volatile.Write(ref hostile->Credits[wild.Next(2)], (uint)value); break;
            case 5: Volatile.Write(ref hostile->SleepsOnSocket, (int)value); break;
            case 6: Volatile.Write(ref hostile->SleepsOnConsumed, (int)value); break;
            case 7: ((byte*)hostile)[ShareLayout.HeaderBytes + wild.Next(1 << 20)] = (byte)value; break;
            case 8: ((PacketHeader*)((byte*)hostile + ShareLayout.HeaderBytes + (hostile->Produced & 0xfffc0)))->Total = value; break;
            default: Volatile.Write(ref hostile->TakesRing, wild.Next(4)); break;
        }
    }

    /// <summary>Whether it went well; any error that is not the library's own fails the test.</summary>
    private static bool Typed(Action action)
    {
        try
        {
            action();
            return true;
        }
        catch (Exception e) when (e is IpcProtocolException or TimeoutException or ObjectDisposedException)
        {
            return false;
        }
    }

    [Fact]
    public unsafe void A_sender_that_drips_is_not_waited_for_beyond_the_time()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_quick);
        using (a)
        using (b)
        {
            using RawRing peer = new(a);
            peer.Begin();
            peer.Write(PacketKind.Whole, 1 << 20, [], PacketHeader.Size);
            ShareHeader* dripping = a.SharedForTests;
            DripUntilTimeout(&dripping->Produced, () => b.Receive(s_soon), from: PacketHeader.Size);
        }
    }

    [Fact]
    public unsafe void A_receiver_that_drips_is_not_waited_for_beyond_the_time()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_quick);
        using (a)
        using (b)
        {
            ShareHeader* dripping = b.SharedForTests;
            // Only what was written can be said to be taken: more would break the channel at once.
            DripUntilTimeout(&dripping->Consumed, () => a.Send(new byte[4 << 20]), onceThisMoves: &a.SharedForTests->Produced);
        }
    }

    private static unsafe void DripUntilTimeout(long* counter, Action call, long* onceThisMoves = null, int from = 0)
    {
        // Never at rest for long: a call that looks at its time only when nothing moved would go on.
        const int most = 400_000, enough = most / 2;
        bool stop = false;
        int drips = 0;
        using (Background drip = new(() =>
        {
            for (int i = 0; !Volatile.Read(ref stop); i++)
            {
                if (onceThisMoves != null && Volatile.Read(ref *onceThisMoves) == 0) i = -1;
                else if (i < most) Volatile.Write(ref *counter, from + i);
                Volatile.Write(ref drips, i);
                long next = System.Diagnostics.Stopwatch.GetTimestamp() + (System.Diagnostics.Stopwatch.Frequency / 50_000);
                while (System.Diagnostics.Stopwatch.GetTimestamp() < next) Thread.SpinWait(10);
            }
        }))
        {
            try
            {
                Assert.Throws<TimeoutException>(call);
                Assert.True(Volatile.Read(ref drips) < enough, "the call ended long after its time");
            }
            finally
            {
                Volatile.Write(ref stop, true);
            }
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    [InlineData((1L << 32) + 5)]
    public void A_total_is_bounded_before_it_is_believed_when_descriptors_were_lost_too(long total)
    {
        ChildResult child = Child.Run(LoseDescriptors, [$"{total}"]);
        child.AssertSucceeded();
    }

    private static unsafe void LoseDescriptors(string[] arguments)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { MaxHandles = 4, MaxMessageBytes = 1L << 40 });
        using RawRing peer = new(a);
        int file = Census.OpenNull();
        Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
        Rights.CloseElsewhere([]);
        peer.Begin();
        Assert.Equal(0, peer.SendHandles(file, file));
        peer.Write(PacketKind.Whole, long.Parse(arguments[0]), [], handles: 2);
        ulong* limit = stackalloc ulong[2] { (ulong)Census.Numbers - 1, 20_000 };
        Limits.Files(limit);
        Exception? thrown = null;
        byte[] small = new byte[16];
        try
        {
            b.Receive(small, TimeSpan.FromSeconds(5));
        }
        catch (Exception e)
        {
            thrown = e;
        }
        limit[0] = 20_000;
        Limits.Files(limit);
        IpcFault fault = Assert.IsType<IpcProtocolException>(thrown).Fault;
        Assert.True(fault is IpcFault.BadHeader or IpcFault.MessageTooLong, $"{thrown}");
    }

    [Fact]
    public void Announcing_much_costs_what_was_sent()
    {
        ChannelOptions options = new() { MaxMessageBytes = 1 << 30, Timeout = TimeSpan.FromMilliseconds(200) };
        (RawPeer peer, IpcChannel channel) = RawPeer.Create(options);
        using (peer)
        using (channel)
        {
            for (ulong id = 1; id <= 8; id++) Assert.Equal(0, peer.Send(RawPeer.Packet(PacketKind.Fragment, 1 << 30, new byte[10], id)));
            long before = GC.GetAllocatedBytesForCurrentThread();
            Assert.Throws<TimeoutException>(() => channel.Receive(s_soon));
            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            Assert.True(allocated < 100 << 20, $"{allocated >> 20} MiB for 80 bytes received");
        }
    }

    [Theory]
    [InlineData((8 << 20) + 9)]
    [InlineData(40_000_001)]
    public void A_message_in_packets_beyond_its_first_array_arrives_whole(int length)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { UseSharedMemory = false });
        using (a)
        using (b)
        {
            byte[] all = Bytes.Random(length, 9);
            using Background sending = new(() => a.Send(all));
            using IpcMessage message = b.Receive(s_soon)!;
            Assert.True(message.Payload.Span.SequenceEqual(all));
        }
    }

    [Fact]
    public unsafe void A_segment_can_be_sent_more_often_than_its_generation_counts()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { SegmentCount = 1, SegmentBytes = 4096 });
        using (a)
        using (b)
        {
            // As after four billion messages.
            a.SegmentPool!.SetGenerationForTests(0, b.SharedForTests->Credits[0] = uint.MaxValue - 1);
            for (int i = 0; i < 4; i++)
            {
                a.Send(a.SegmentPool.Rent(s_soon), 100);
                b.Receive(s_soon)!.Dispose();
            }
            Assert.Equal(1, a.SegmentPool.Available);
        }
    }
}
