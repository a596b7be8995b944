namespace MemPrims.Channels.Tests;

// A peer that writes what it likes to its shared memory, whenever it likes.
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
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_quick);
        int errors = 0, seed = random.Next();
        bool stop = false;
        using (a)
        using (b)
        {
            RingHeader* hostile = b.Shared();
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

    private static unsafe void Scribble(RingHeader* hostile, Random wild)
    {
        long value = wild.Next(4) switch
        {
            0 => wild.NextInt64(long.MinValue, long.MaxValue),
            1 => wild.Next(1 << 21),
            2 => -1,
            _ => hostile->Produced + wild.Next(-5, 100_000)
        };
        switch (wild.Next(8))
        {
            case 0: Volatile.Write(ref hostile->Produced, value); break;
            case 1: Volatile.Write(ref hostile->Consumed, value); break;
            case 2: Volatile.Write(ref hostile->SleepsOnProduced, (int)value); break;
            case 3: Volatile.Write(ref hostile->SleepsOnSocket, (int)value); break;
            case 4: Volatile.Write(ref hostile->SleepsOnConsumed, (int)value); break;
            case 5: ((byte*)hostile)[RingLayout.Usual.LargeAt + wild.Next(1 << 20)] = (byte)value; break;
            case 6: ((PacketHeader*)((byte*)hostile + RingLayout.Usual.LargeAt + (hostile->Produced & 0xfffc0)))->Total = value; break;
            default: Volatile.Write(ref hostile->TakesRing, wild.Next(4)); break;
        }
    }

    // Whether it went well; any error that is not the library's own fails the test.
    private static bool Typed(Action action)
    {
        try
        {
            action();
            return true;
        }
        catch (Exception e) when (e is IpcException or TimeoutException or ObjectDisposedException)
        {
            return false;
        }
    }

    [Fact]
    public unsafe void A_sender_that_drips_is_not_waited_for_beyond_the_time()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, s_quick);
        using RawRing peer = new(a);
        peer.Begin();
        peer.Write(PacketKind.Whole, 1 << 20, [], PacketHeader.Size);
        RingHeader* dripping = a.Shared();
        DripUntilTimeout(&dripping->Produced, () => b.Receive(s_soon), from: (int)peer.Produced);
    }

    [Fact]
    public unsafe void A_receiver_that_drips_is_not_waited_for_beyond_the_time()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, s_quick);
        RingHeader* dripping = b.Shared();
        // Only what was written can be said to be taken: more would break the channel at once.
        DripUntilTimeout(&dripping->Consumed, () => a.Send(new byte[4 << 20]), onceThisMoves: &a.Shared()->Produced);
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

    [Theory, InlineData(-1), InlineData(long.MinValue), InlineData((1L << 32) + 5)]
    public void A_total_is_bounded_before_it_is_believed_when_descriptors_were_lost_too(long total)
    {
        ChildResult child = Child.Run(LoseDescriptors, [$"{total}"]);
        child.AssertSucceeded();
    }

    private static void LoseDescriptors(string[] arguments)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { MaxHandles = 4, MaxMessageBytes = 1L << 40 });
        using RawRing peer = new(a);
        int file = Census.OpenNull();
        Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
        Closer.Usual.Add([]);
        peer.Begin();
        Assert.Equal(0, peer.SendHandles(file, file));
        peer.Write(PacketKind.Whole, long.Parse(arguments[0]), [], handles: 2);
        byte[] small = new byte[16];
        Limits.Files(Census.Numbers - 1);
        Exception? thrown = Scarcity.Outcome(() => b.Receive(small, TimeSpan.FromSeconds(5)));
        Limits.Files(1024);
        IpcFault fault = Assert.IsAssignableFrom<IpcException>(thrown).Fault;
        Assert.True(fault is IpcFault.BadHeader or IpcFault.MessageTooLong, $"{thrown}");
    }

    [Theory, InlineData((8 << 20) + 9), InlineData(40_000_001)]
    public void A_message_in_packets_beyond_its_first_array_arrives_whole(int length)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = false });
        byte[] all = Bytes.Random(length, 9);
        using Background sending = new(() => a.Send(all));
        using IpcMessage message = b.Receive(s_soon)!;
        Assert.True(message.Payload.Span.SequenceEqual(all));
    }

    [Theory, InlineData(1L << 40), InlineData(-5), InlineData(long.MinValue)]
    public unsafe void Impossible_counters_of_the_ring_break_the_channel(long consumed)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { Timeout = TimeSpan.FromSeconds(2) });
        Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
        b.Shared()->Consumed = consumed;
        // The count is read when the room that is known does not suffice.
        Assert.Equal(IpcFault.BadSharedMemory, Assert.ThrowsAny<IpcException>(() => a.Send(new byte[3_000_000])).Fault);
    }

    [Fact]
    public unsafe void Impossible_counters_of_the_rings_sender_break_the_channel()
    {
        using (Ends.Of(out IpcChannel a, out IpcChannel b, new() { Timeout = TimeSpan.FromSeconds(2) }))
        {
            // Taken back after it was seen.
            byte[] block = new byte[600_000];
            Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
            a.Send(block);
            b.Receive(block);
            a.Send(block);
            b.Shared()->Consumed = 0;
            Assert.Equal(IpcFault.BadSharedMemory, Assert.ThrowsAny<IpcException>(() => a.Send(block)).Fault);
        }
        using (Ends.Of(out IpcChannel a, out IpcChannel b, new() { Timeout = TimeSpan.FromSeconds(2) }))
        {
            Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
            a.Send(new byte[50_000]);
            a.Shared()->Produced = long.MaxValue;
            Assert.Equal(IpcFault.BadSharedMemory, Assert.ThrowsAny<IpcException>(() => b.Receive(s_soon)).Fault);
        }
    }
}
