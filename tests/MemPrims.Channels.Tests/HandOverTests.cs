using System.Runtime.InteropServices;
using static MemPrims.Channels.Tests.RingTests;

namespace MemPrims.Channels.Tests;

// Ends that are passed on or have several holders, before anything was received and in the middle of traffic.
[Collection(Alone.Name)]
public class HandOverTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [Theory, InlineData(40), InlineData(16_384), InlineData(100_000), InlineData(3_000_000)]
    public void An_end_can_be_passed_on_with_a_message_of_any_length_that_waits_in_it(int length)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
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
        a.Send([2]);
        Assert.Equal(2, Receive(other));
    }

    [Fact]
    public void Another_holder_of_the_senders_end_is_heard_beside_a_ring_that_is_never_empty()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
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
            catch (IpcException e) when (e.Fault == IpcFault.PeerGone)
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

    public static TheoryData<string> Receives => ["wait", "span", "try", "async"];

    [Theory]
    [MemberData(nameof(Receives))]
    public async Task An_end_that_has_received_is_not_passed_on(string how)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        // Sending is no receive.
        b.Send([1]);
        b.DuplicateHandle().Dispose();
        if (how != "wait") a.Send([1]);
        switch (how)
        {
            case "wait": Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero)); break;
            case "span": b.Receive(new byte[1]); break;
            case "try": b.TryReceive(out _); break;
            default: (await b.ReceiveAsync())!.Dispose(); break;
        }
        Assert.Contains("before the first receive", Assert.Throws<InvalidOperationException>(() => b.DuplicateHandle()).Message);
        // The channel goes on.
        a.Send([3]);
        Assert.Equal(3, Receive(b));
    }

    [Fact]
    public void A_first_receive_and_a_hand_over_at_the_same_moment_leave_one_of_them()
    {
        for (int round = 0; round < 200 * Seeds.Scale; round++)
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
            a.Send([1]);
            SafeHandle? passedOn = null;
            using (Background receiving = new(() => Assert.Equal(1, Receive(b))))
                try
                {
                    passedOn = b.DuplicateHandle();
                }
                catch (InvalidOperationException)
                {
                    // The receive was first.
                }
            for (byte i = 2; i < 5; i++) a.Send([i]);
            for (byte i = 2; i < 5; i++) Assert.Equal(i, Receive(b));
            // An end with another holder never asks for the ring, which that one would not have.
            unsafe
            {
                Assert.Equal(passedOn is null ? 1 : 0, b.Shared()->TakesRing);
            }
            passedOn?.Dispose();
        }
    }

    [Fact]
    public void What_a_senders_end_sends_after_it_was_passed_on_comes_after_what_it_sent_before()
    {
        for (int round = 0; round < LongRuns.Of(25, 100) * Seeds.Scale; round++)
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
            UseRing(a, b);
            const int each = 50;
            using Background sending = new(() =>
            {
                for (int i = 0; i < each; i++) a.Send(Bytes.Stamped(0, i, 1000));
                using IpcChannel other = IpcChannel.FromHandle(a.DuplicateHandle());
                a.Dispose();
                for (int i = each; i < 2 * each; i++) other.Send(Bytes.Stamped(0, i, i % 10 == 0 ? 300_000 : 1000));
            });
            for (int i = 0; i < 2 * each; i++)
            {
                using IpcMessage message = b.Receive(s_soon)!;
                Assert.Equal((0, i), Bytes.CheckStamp(message.Payload.Span));
            }
            Assert.Null(b.Receive(s_soon));
        }
    }
}
