using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using static MemPrims.Channels.Tests.RingTests;

namespace MemPrims.Channels.Tests;

/// <summary>Ends that are passed on or have several holders, before anything was received and in the middle of traffic.</summary>
[Collection(Alone.Name)]
public class HandOverTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [Fact]
    public void What_was_sent_before_anybody_received_can_be_passed_on_with_the_channel()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        using (a)
        {
            a.Send("first"u8);
            a.Send("second"u8);
            using IpcChannel other = IpcChannel.FromHandle(b.DuplicateHandle());
            b.Dispose();
            a.Send("third"u8);
            foreach (string expected in (string[])["first", "second", "third"])
                using (IpcMessage message = other.Receive(s_soon)!)
                    Assert.Equal(expected, System.Text.Encoding.UTF8.GetString(message.Payload.Span));
        }
    }

    [Theory]
    [InlineData(40)]
    [InlineData(16_384)]
    [InlineData(100_000)]
    [InlineData(3_000_000)]
    public void An_end_can_be_passed_on_with_a_message_of_any_length_that_waits_in_it(int length)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        using (a)
        {
            byte[] sent = Bytes.Random(length, length);
            using Background sending = new(() =>
            {
                a.Send(sent);
                a.Send([1]);
            });
            Thread.Sleep(50);
            using IpcChannel other = IpcChannel.FromHandle(b.DuplicateHandle());
            b.Dispose();
            using (IpcMessage message = other.Receive(s_soon)!) Assert.True(message.Payload.Span.SequenceEqual(sent));
            Assert.Equal(1, Receive(other));
        }
    }

    [Fact]
    public void A_segment_for_an_end_with_several_holders_goes_in_packets_and_is_free_at_once()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { SegmentCount = 1, SegmentBytes = 300_000 });
        using (a)
        using (b)
        {
            a.Send(a.SegmentPool!.Rent(s_soon), 10);
            Assert.Contains("segment", Assert.Throws<InvalidOperationException>(() => b.DuplicateHandle()).Message);
            b.Receive(s_soon)!.Dispose();
            using IpcChannel other = IpcChannel.FromHandle(b.DuplicateHandle());
            foreach (int length in (int[])[100, 300_000])
            {
                SharedSegment segment = a.SegmentPool.Rent(s_soon);
                Bytes.Stamped(3, length, length).AsSpan(0, length).CopyTo(segment.GetSpan());
                byte[] expected = segment.GetSpan()[..length].ToArray();
                if (length == 100) Assert.True(a.TrySend(segment, 0, length));
                else
                {
                    Assert.False(a.TrySend(segment, 0, length));
                    using Background sending = new(() => a.SendAsync(segment, length).AsTask().GetAwaiter().GetResult());
                    CheckAndCount(other, expected);
                    continue;
                }
                CheckAndCount(other, expected);
                Assert.Equal(1, a.SegmentPool.Available);
            }
            Assert.Equal(1, a.SegmentPool.Available);
        }
    }

    private static void CheckAndCount(IpcChannel from, byte[] expected)
    {
        using IpcMessage message = from.Receive(s_soon)!;
        Assert.True(message.Payload.Span.SequenceEqual(expected));
    }

    [Fact]
    public void What_another_holder_takes_of_the_rings_packets_costs_it_an_error_and_no_channel()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { MaxHandles = 2 });
        using SafeFileHandle file = File.OpenHandle("/dev/null");
        using (a)
        using (b)
        {
            // The packets that begin the ring and that hold the descriptors wait in the socket.
            Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
            a.Send([1]);
            a.Send([2], [file, file]);
            a.Send([3]);
            using IpcChannel other = IpcChannel.FromHandle(b.DuplicateHandle(), new() { MaxHandles = 2 });
            a.Send([4]);
            Assert.Equal(IpcFault.NotGivenSharedMemory, Assert.Throws<IpcProtocolException>(() => other.Receive(s_soon)).Fault);
            Assert.Equal(4, Receive(other));
            // What lies in the ring is found without the packet that said so. The message whose descriptors are gone is told of.
            Assert.Equal(1, Receive(b));
            Assert.Equal(IpcFault.NotGivenSharedMemory, Assert.Throws<IpcProtocolException>(() => b.Receive(s_soon)).Fault);
            Assert.Equal(3, Receive(b));
            a.Send([5]);
            Assert.Equal(5, Receive(b));
            a.Send([6]);
            Assert.Equal(6, Receive(other));
            a.Dispose();
            Assert.Null(b.Receive(s_soon));
            Assert.Null(other.Receive(s_soon));
        }
    }

    [Fact]
    public void Duplicates_that_come_and_go_under_traffic_lose_no_message()
    {
        for (int round = 0; round < 150 * Seeds.Scale; round++)
        {
            Random random = Seeds.Random(500 + round);
            (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
            using (a)
            using (b)
            {
                const int messages = 600;
                using Background sending = new(() =>
                {
                    for (int i = 0; i < messages; i++) a.Send(Bytes.Stamped(0, i, random.Next(3) * 5_000));
                    a.Dispose();
                });
                int duplicateAt = random.Next(messages);
                SafeHandle? unused = null;
                for (int i = 0; i < messages; i++)
                {
                    if (i == duplicateAt) unused = b.DuplicateHandle();
                    using IpcMessage message = b.Receive(s_soon)!;
                    Assert.Equal((0, i), Bytes.CheckStamp(message.Payload.Span));
                }
                Assert.Null(b.Receive(s_soon));
                unused?.Dispose();
            }
        }
    }

    [Fact]
    public void An_end_that_gets_another_holder_keeps_what_lies_in_the_ring_and_the_rest_comes_in_packets()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        using (a)
        using (b)
        {
            UseRing(a, b);
            for (byte i = 0; i < 5; i++) a.Send([i]);
            using IpcChannel other = IpcChannel.FromHandle(b.DuplicateHandle());
            for (byte i = 5; i < 10; i++) a.Send([i]);
            for (byte i = 0; i < 5; i++) Assert.Equal(i, Receive(b));
            // These came in packets: either holder may take them.
            Assert.Equal(5, Receive(other));
            Assert.Equal(6, Receive(b));
            Assert.Equal(7, Receive(other));
            Assert.Equal(8, Receive(b));
            Assert.Equal(9, Receive(b));
            a.Dispose();
            Assert.Null(b.Receive(s_soon));
            Assert.Null(other.Receive(s_soon));
        }
    }

    [Theory]
    [InlineData(100, false)]
    [InlineData(2_000, true)]
    public void An_end_that_is_drained_after_DuplicateHandle_hands_over_every_later_message(int length, bool whileFull)
    {
        for (int round = 0; round < 150 * Seeds.Scale; round++)
        {
            (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
            using (a)
            {
                UseRing(a, b);
                const int messages = 1200;
                using Background sending = new(() =>
                {
                    for (int i = 0; i < messages; i++) a.Send(Bytes.Stamped(0, i, length));
                });
                int next = 0;
                for (int first = Seeds.Random(900 + round).Next(300); next < first; next++) CheckNumber(b.Receive(s_soon)!, next);
                if (whileFull) Thread.Sleep(2);
                using IpcChannel other = IpcChannel.FromHandle(b.DuplicateHandle());
                while (b.TryReceive(out IpcMessage? message)) CheckNumber(message!, next++);
                b.Dispose();
                for (; next < messages; next++) CheckNumber(other.Receive(s_soon)!, next);
            }
        }
    }

    private static void CheckNumber(IpcMessage message, int number)
    {
        using (message) Assert.Equal((0, number), Bytes.CheckStamp(message.Payload.Span));
    }

    [Fact]
    public void Another_holder_of_the_senders_end_is_heard_beside_a_ring_that_is_never_empty()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        using (a)
        using (b)
        {
            UseRing(a, b);
            using IpcChannel other = IpcChannel.FromHandle(a.DuplicateHandle());
            const int each = 3_000;
            bool stop = false;
            using Background flood = new(() =>
            {
                try
                {
                    for (int i = 0; !Volatile.Read(ref stop); i++) a.Send(Bytes.Stamped(0, i, 100));
                }
                catch (IpcProtocolException e) when (e.Fault == IpcFault.PeerGone)
                {
                    // The test is over.
                }
            });
            using Background beside = new(() =>
            {
                for (int i = 0; i < each; i++) other.Send(Bytes.Stamped(1, i, i % 100 == 0 ? 300_000 : 50));
            });
            int[] next = new int[2];
            while (next[1] < each)
            {
                using IpcMessage message = b.Receive(s_soon)!;
                (int sender, int number) = Bytes.CheckStamp(message.Payload.Span);
                Assert.Equal(next[sender]++, number);
            }
            Volatile.Write(ref stop, true);
            b.Dispose();
        }
    }
}
