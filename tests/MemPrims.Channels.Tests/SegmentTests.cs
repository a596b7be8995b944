using MemPrims.Channels.Segments;

namespace MemPrims.Channels.Tests;

/// <summary>Segments handed over by token and given back by credit.</summary>
[Collection(Alone.Name)]
public class SegmentTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20), s_short = TimeSpan.FromMilliseconds(100);
    private static readonly ChannelOptions s_two = new() { SegmentCount = 2, SegmentBytes = 100_000 };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_segment_arrives_and_comes_back(bool trusted)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_two with { TrustPeer = trusted });
        using (a)
        using (b)
        {
            SharedSegmentPool pool = a.SegmentPool!;
            for (int i = 0; i < 20; i++)
            {
                SharedSegment segment = pool.Rent(s_soon);
                byte[] content = Bytes.Random(90_000, i);
                content.CopyTo(segment.GetSpan());
                a.Send(segment, 100, 80_000);
                Assert.Throws<InvalidOperationException>(() => segment.GetSpan().Length);
                Assert.Throws<InvalidOperationException>(() => a.Send(segment, 10));
                using (IpcMessage message = b.Receive(s_soon)!)
                {
                    Assert.Equal(trusted ? 1 : 2, pool.Available);
                    Assert.True(message.Payload.Span.SequenceEqual(content.AsSpan(100, 80_000)));
                }
                Assert.Equal(2, pool.Available);
            }
            pool.Rent(s_soon).Dispose();
            Assert.Equal(2, pool.Available);
        }
    }

    [Fact]
    public void What_the_sender_writes_later_does_not_change_an_untrusting_receivers_message()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_two);
        using (a)
        using (b)
        {
            SharedSegment segment = a.SegmentPool!.Rent(s_soon);
            Memory<byte> still = segment.Memory;
            segment.GetSpan().Fill(1);
            Span<byte> kept = segment.GetSpan();
            a.Send(segment, 1000);
            using IpcMessage message = b.Receive(s_soon)!;
            kept.Fill(2);
            Assert.True(message.Payload.Span.IndexOfAnyExcept((byte)1) < 0);
            Assert.Equal(100_000 / 4096 * 4096 + 4096, still.Length);
        }
    }

    [Fact]
    public void A_credit_that_never_comes_ends_at_the_deadline()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_two with { TrustPeer = true });
        using (a)
        using (b)
        {
            for (int i = 0; i < 2; i++) a.Send(a.SegmentPool!.Rent(s_soon), 10);
            Assert.Throws<TimeoutException>(() => a.SegmentPool!.Rent(s_short));
            using IpcMessage first = b.Receive(s_soon)!;
            using Background giving = new(() =>
            {
                Thread.Sleep(30);
                first.Dispose();
            });
            a.SegmentPool!.Rent(s_soon).Dispose();
        }
    }

    [Theory]
    [InlineData(7u)]
    [InlineData(2u)]
    public unsafe void A_forged_credit_breaks_the_channel(uint credit)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_two with { TrustPeer = true });
        using (a)
        using (b)
        {
            a.Send(a.SegmentPool!.Rent(s_soon), 10);
            b.SharedForTests->Credits[0] = credit;
            Assert.Equal(IpcFault.ForgedCredit, Assert.Throws<IpcProtocolException>(() => a.SegmentPool!.Rent(s_soon)).Fault);
            Assert.Equal(IpcFault.Broken, Assert.Throws<IpcProtocolException>(() => a.Send([1])).Fault);
        }
    }

    [Fact]
    public unsafe void Impossible_counters_of_the_ring_break_the_channel()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { Timeout = TimeSpan.FromSeconds(2) });
        using (a)
        using (b)
        {
            b.SharedForTests->Consumed = 5;
            Assert.Equal(IpcFault.BadSharedMemory, Assert.Throws<IpcProtocolException>(() => a.Send(new byte[100_000])).Fault);
        }
        (a, b) = IpcChannel.CreatePair(new() { Timeout = TimeSpan.FromSeconds(2) });
        using (a)
        using (b)
        {
            a.Send(new byte[50_000]);
            a.SharedForTests->Produced = long.MaxValue;
            Assert.Equal(IpcFault.BadSharedMemory, Assert.Throws<IpcProtocolException>(() => b.Receive(s_soon)).Fault);
        }
    }

    [Fact]
    public void Segments_come_back_when_the_peers_process_has_ended()
    {
        using TempFolder folder = new();
        string path = folder.File("s");
        using IpcListener listener = IpcListener.Listen(path, s_two);
        using System.Diagnostics.Process child = Child.Start(HoldOneSegment, [path]);
        using IpcChannel channel = listener.Accept(s_soon);
        channel.Send(channel.SegmentPool!.Rent(s_soon), 10);
        using (IpcMessage ready = channel.Receive(s_soon)!) Assert.Equal(1, channel.SegmentPool.Available);
        child.Kill();
        child.WaitForExit();
        for (int i = 0; i < 500 && channel.SegmentPool.Available < 2; i++) Thread.Sleep(10);
        Assert.Equal(2, channel.SegmentPool.Available);
    }

    private static void HoldOneSegment(string[] arguments)
    {
        using IpcChannel channel = IpcChannel.Connect(arguments[0], new() { TrustPeer = true });
        using IpcMessage held = channel.Receive(s_soon)!;
        channel.Send([1]);
        channel.Receive(Timeout.InfiniteTimeSpan);
    }
}
