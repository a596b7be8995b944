using System.Runtime.InteropServices;
using System.Diagnostics.Metrics;

namespace MemPrims.Channels.Tests;

// The channel's other members: descriptors, duplicates, time and cancellation, the end, adapters, counters.
[Collection(Alone.Name)]
public class ChannelTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20), s_short = TimeSpan.FromMilliseconds(100);
    private static readonly ChannelOptions s_handles = new() { MaxHandles = Rights.Most };

    [Theory, InlineData(1, 10), InlineData(64, 0), InlineData(Rights.Most, 50_000), InlineData(Rights.Most, 1_500_000)]
    public void Descriptors_arrive_in_order_and_are_closed_with_their_message(int count, int length)
    {
        foreach (bool shared in (bool[])[true, false])
        {
            (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_handles with { UseSharedMemory = shared });
            using TempFolder folder = new();
            using (a)
            using (b)
            {
                SafeHandle[] files = [.. Enumerable.Range(0, count).Select(i =>
                {
                    SafeFileHandle file = File.OpenHandle(folder.File($"{i}"), FileMode.Create, FileAccess.ReadWrite);
                    RandomAccess.Write(file, BitConverter.GetBytes(i), 0);
                    return (SafeHandle)file;
                })];
                int before = Census.Files;
                using Background sending = new(() => a.Send(new byte[length], files));
                using (IpcMessage message = b.Receive(s_soon)!)
                {
                    Assert.Null(sending.Outcome());
                    Assert.Equal(count, message.Handles.Count);
                    byte[] number = new byte[4];
                    for (int i = 0; i < count; i++)
                    {
                        RandomAccess.Read((SafeFileHandle)message.Handles[i], number, 0);
                        Assert.Equal(i, BitConverter.ToInt32(number));
                    }
                    using SafeHandle taken = message.TakeHandle(0);
                    Assert.Throws<InvalidOperationException>(() => message.TakeHandle(0));
                    Assert.Throws<ArgumentOutOfRangeException>(() => message.TakeHandle(count));
                    message.Dispose();
                    Assert.False(taken.IsClosed);
                    Assert.Throws<ObjectDisposedException>(() => message.Payload);
                }
                Census.AssertFiles(before);
                Assert.Throws<ArgumentException>(() => a.Send([1], new SafeHandle[Rights.Most + 1]));
                foreach (SafeHandle file in files) file.Dispose();
            }
        }
    }

    [Fact]
    public void An_end_that_takes_no_descriptors_makes_the_sender_fail()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        using SafeFileHandle file = File.OpenHandle("/dev/null");
        IpcException refused = Assert.ThrowsAny<IpcException>(() =>
        {
            a.Send([1], [file]);
            b.Receive(s_soon);
        });
        if (refused.Fault == IpcFault.HandlesRefused)
        {
            a.Send([2]);
            using IpcMessage message = b.Receive(s_soon)!;
            Assert.Equal(2, message.Payload.Span[0]);
        }
        else Assert.Equal(IpcFault.UnwantedHandles, refused.Fault);
    }

    [Fact]
    public void A_channel_is_sent_through_a_channel_and_both_holders_send_large_messages()
    {
        (IpcChannel outerA, IpcChannel outerB) = IpcChannel.CreatePair(s_handles);
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        using (outerA)
        using (outerB)
        using (b)
        {
            using (SafeHandle duplicate = a.DuplicateHandle()) outerA.Send([1], [duplicate]);
            using IpcMessage message = outerB.Receive(s_soon)!;
            using IpcChannel other = IpcChannel.FromHandle(message.TakeHandle(0));
            // What b sends now must reach a holder without the ring.
            byte[] large = Bytes.Random(1 << 20, 5);
            using (Background sending = new(() => b.Send(large)))
            using (IpcMessage received = other.Receive(s_soon)!) Assert.True(received.Payload.Span.SequenceEqual(large));
            using (Background one = new(() => SendMany(a, 0)))
            using (Background two = new(() => SendMany(other, 1)))
            {
                int[] next = new int[2];
                for (int i = 0; i < 80; i++)
                {
                    using IpcMessage received = b.Receive(s_soon)!;
                    (int sender, int number) = Bytes.CheckStamp(received.Payload.Span);
                    Assert.Equal(next[sender]++, number);
                }
            }
            a.Dispose();
            // One holder has ended its end; the other goes on.
            other.Send([7]);
            using (IpcMessage after = b.Receive(s_soon)!) Assert.Equal(7, after.Payload.Span[0]);
            other.Dispose();
            Assert.Null(b.Receive(s_soon));
        }
    }

    private static void SendMany(IpcChannel channel, int sender)
    {
        for (int i = 0; i < 40; i++) channel.Send(Bytes.Stamped(sender, i, i % 3 == 0 ? 700_000 : 5_000));
    }

    [Theory, InlineData(true), InlineData(false)]
    public void A_send_that_nobody_receives_times_out_and_nothing_is_cut_before_it_began(bool shared)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { Timeout = s_short, UseSharedMemory = shared });
        Assert.Throws<TimeoutException>(() => SendForEver(a));
        Assert.False(a.TrySend(new byte[8_000]));
        int count = 0;
        while (count == 0 || b.Receive(new byte[8_000], s_short) > 0)
        {
            count++;
            if (a.TrySend(new byte[8_000])) break;
        }
        Assert.True(count > 0);
    }

    private static void SendForEver(IpcChannel channel)
    {
        while (true) channel.Send(new byte[8_000]);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void A_send_cut_in_the_middle_breaks_both_ends(bool shared)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { Timeout = s_short, UseSharedMemory = shared });
        Assert.Throws<TimeoutException>(() => a.Send(new byte[20 << 20]));
        Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => a.Send([1])).Fault);
        Assert.ThrowsAny<IpcException>(() => b.Receive(s_soon));
        Assert.ThrowsAny<IpcException>(() => b.Receive(s_soon));
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task A_send_cancelled_in_the_middle_breaks_both_ends(bool shared)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared });
        using CancellationTokenSource stop = new();
        ValueTask sending = a.SendAsync(new byte[20 << 20], stop.Token);
        stop.CancelAfter(s_short); // only now: a busy machine may take longer than that to begin
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await sending);
        await Assert.ThrowsAnyAsync<IpcException>(async () => await a.SendAsync(new byte[1]));
        await Assert.ThrowsAnyAsync<IpcException>(async () => await b.ReceiveAsync());
        Assert.ThrowsAny<IpcException>(() => b.Receive(s_soon));
    }

    [Fact]
    public async Task A_receive_that_is_cancelled_or_times_out_before_a_message_leaves_the_channel_whole()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        Assert.Throws<TimeoutException>(() => b.Receive(s_short));
        Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
        Assert.Throws<TimeoutException>(() => b.Receive(new byte[1], s_short));
        using CancellationTokenSource stop = new(s_short);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await b.ReceiveAsync(stop.Token));
        ValueTask<IpcMessage?> receiving = b.ReceiveAsync();
        await a.SendAsync(new byte[] { 3 });
        using IpcMessage? message = await receiving.AsTask().WaitAsync(s_soon);
        Assert.Equal(3, message!.Payload.Span[0]);
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task Asynchronous_messages_of_all_sizes_arrive(bool shared)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared });
        Task sending = Task.Run(async () =>
        {
            for (int i = 0; i < 200; i++) await a.SendAsync(Bytes.Stamped(0, i, i % 10 == 0 ? 3 << 20 : i * 700));
            await a.SendAsync(Bytes.InPieces(Bytes.Stamped(0, 200, 100_000), 999), []);
        });
        for (int i = 0; i <= 200; i++)
        {
            using IpcMessage? message = await b.ReceiveAsync().AsTask().WaitAsync(s_soon);
            Assert.Equal((0, i), Bytes.CheckStamp(message!.Payload.Span));
        }
        await sending;
    }

    [Fact]
    public async Task Disposing_an_end_wakes_its_own_calls_and_ends_the_peers()
    {
        foreach (bool duplicated in (bool[])[false, true])
        {
            (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
            using SafeHandle? duplicate = duplicated ? a.DuplicateHandle() : null;
            using Background blocked = new(() => a.Receive(Timeout.InfiniteTimeSpan));
            Thread.Sleep(50);
            a.Dispose();
            Assert.IsType<ObjectDisposedException>(blocked.Outcome());
            duplicate?.Dispose();
            Assert.Null(b.Receive(s_soon));
            Assert.Null(await b.ReceiveAsync());
            b.Dispose();
            b.Dispose();
            Assert.Throws<ObjectDisposedException>(() => b.Send([1]));
            (a, b) = IpcChannel.CreatePair();
            Task waiting = Task.Run(async () => await a.ReceiveAsync());
            Thread.Sleep(50);
            a.Dispose();
            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await waiting.WaitAsync(s_soon));
            b.Dispose();
        }
    }

    [Fact]
    public void Credentials_are_those_of_this_process()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        Assert.Equal(Environment.ProcessId, a.PeerCredentials.ProcessId);
        Assert.Equal(Posix.Geteuid(), a.PeerCredentials.UserId);
    }

    [Fact]
    public void The_meter_counts_from_the_first_message_where_somebody_listens() => Child.Run(CountAtOnce).AssertSucceeded();

    private static void CountAtOnce(string[] _)
    {
        using Counts counts = new();
        SendTen();
        counts.AreOfTen();
    }

    // The listener has to begin before the meter: where the machine was too slow for that, once more, and later.
    [Fact]
    public void What_was_sent_before_the_meter_began_is_counted_when_it_begins()
    {
        ChildResult result;
        int milliseconds = 50;
        do result = Child.Run(CountLater, [$"{milliseconds}"]);
        while (result.Output.Contains("late") && (milliseconds *= 2) < s_soon.TotalMilliseconds);
        result.AssertSucceeded();
        Assert.DoesNotContain("late", result.Output);
    }

    private static void CountLater(string[] milliseconds)
    {
        ChannelEvents.MeterAfterMilliseconds = int.Parse(milliseconds[0]);
        SendTen();
        bool isLoaded = AppDomain.CurrentDomain.GetAssemblies().Any(one => one.GetName().Name == "System.Diagnostics.DiagnosticSource");
        if (isLoaded) Console.WriteLine("late");
        else Listen();

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Listen()
        {
            using Counts counts = new();
            if (counts.Published > 0) Console.WriteLine("late");
            else
            {
                Assert.True(SpinWait.SpinUntil(() => counts.Published == 6, s_soon), "the meter does not begin");
                SpinWait.SpinUntil(() => counts.HasAll, s_soon);
                counts.AreOfTen();
            }
        }
    }

    private static void SendTen()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        using (a)
        using (b)
            for (int i = 0; i < 10; i++)
            {
                a.Send(new byte[100]);
                b.Receive(s_soon)!.Dispose();
            }
    }

    private sealed class Counts : IDisposable
    {
        private readonly Dictionary<string, long> _counted = [];
        private readonly MeterListener _listener = new();
        private int _published;

        public Counts()
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name != "MemPrims.Channels") return;
                listener.EnableMeasurementEvents(instrument);
                Interlocked.Increment(ref _published);
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, _, _) =>
            {
                lock (_counted) _counted[instrument.Name] = _counted.GetValueOrDefault(instrument.Name) + value;
            });
            _listener.Start();
        }

        public int Published => Volatile.Read(ref _published);

        public bool HasAll
        {
            get
            {
                lock (_counted) return _counted.ContainsKey("memprims.channels.bytes.received");
            }
        }

        public void AreOfTen()
        {
            lock (_counted)
                foreach ((string what, long expected) in ((string, long)[])[("messages.sent", 10), ("messages.received", 10),
                    ("bytes.sent", 1_000), ("bytes.received", 1_000)])
                    Assert.Equal(expected, _counted[$"memprims.channels.{what}"]);
        }

        public void Dispose() => _listener.Dispose();
    }
}
