
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

    [Fact]
    public void What_a_closed_peer_of_this_process_still_reads_is_not_rented_again()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_two with { TrustPeer = true });
        using (a)
        {
            SharedSegment read = a.SegmentPool!.Rent(s_soon), unread = a.SegmentPool.Rent(s_soon);
            read.GetSpan().Fill(9);
            a.Send(read, 5000);
            using (IpcMessage message = b.Receive(s_soon)!)
            {
                a.Send(unread, 10);
                b.Dispose();
                Assert.Equal(0, a.SegmentPool.Available);
                Assert.False(a.SegmentPool.TryRent(out _));
                string told = Assert.Throws<TimeoutException>(() => a.SegmentPool.Rent(s_short)).Message;
                Assert.Contains("2 were sent, and the peer, which has closed its end, has them mapped still", told);
                Assert.True(message.Payload.Span.IndexOfAnyExcept((byte)9) < 0);
            }
            Assert.Equal(2, a.SegmentPool.Available);
        }
    }

    [Fact]
    public void Rent_tells_who_has_the_segments()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_two with { TrustPeer = true });
        using (a)
        using (b)
        using (SharedSegment rented = a.SegmentPool!.Rent(s_soon))
        {
            a.Send(a.SegmentPool.Rent(s_soon), 10);
            Assert.Contains("1 are rented here and neither sent nor disposed; 1 were sent, and the peer has not disposed",
                Assert.Throws<TimeoutException>(() => a.SegmentPool.Rent(TimeSpan.Zero)).Message);
        }
    }

    [Fact]
    public async Task Segments_are_rented_and_sent_without_a_thread()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_two with { SegmentCount = 1, TrustPeer = true });
        using (a)
        using (b)
        {
            for (int i = 0; i < 5; i++)
            {
                SharedSegment segment = await a.SegmentPool!.RentAsync();
                segment.GetSpan()[0] = (byte)i;
                await a.SendAsync(segment, 1000);
                ValueTask<SharedSegment> next = a.SegmentPool.RentAsync();
                Assert.False(next.IsCompleted);
                using (IpcMessage message = (await b.ReceiveAsync(s_soon))!) Assert.Equal((byte)i, message.Payload.Span[0]);
                (await next).Dispose();
            }
            Assert.True(a.SegmentPool!.TryRent(out SharedSegment? last));
            // Nobody receives: the ring is full at some time, and the segment stays the caller's.
            while (a.TrySend(new byte[8000])) continue;
            while (a.TrySend([])) continue;
            Assert.False(a.TrySend(last, 0, 10));
            using CancellationTokenSource soon = new(50);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await a.SendAsync(last, 0, 10, soon.Token));
            last.GetSpan().Fill(1);
            using CancellationTokenSource again = new(50);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await a.SegmentPool.RentAsync(again.Token));
            b.Receive(s_soon)!.Dispose();
            while (!a.TrySend(last, 0, 10)) b.Receive(s_soon)!.Dispose();
            Assert.False(a.SegmentPool.TryRent(out _));
        }
    }

    [Fact]
    public void A_segment_goes_into_a_span_without_an_object()
    {
        foreach (bool trusted in (bool[])[true, false])
        {
            (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_two with { TrustPeer = trusted });
            using (a)
            using (b)
            {
                byte[] content = Bytes.Random(50_000, 3), buffer = new byte[60_000];
                for (int i = 0; i < 4; i++)
                {
                    using SharedSegment segment = a.SegmentPool!.Rent(s_soon);
                    content.CopyTo(segment.GetSpan());
                    a.Send(segment, content.Length);
                    if (i == 2) Assert.Throws<ArgumentException>(() => b.Receive(new byte[100], s_soon));
                    Assert.Equal(content.Length, b.Receive(buffer, s_soon));
                    Assert.True(buffer.AsSpan(0, content.Length).SequenceEqual(content));
                    Assert.Equal(2, a.SegmentPool.Available);
                }
            }
        }
    }

    [Fact]
    public void A_pool_larger_than_the_other_end_takes_is_refused_before_it_is_mapped()
    {
        using TempFolder folder = new();
        using IpcListener listener = IpcListener.Listen(folder.File("s"), new() { MaxPoolBytes = 1 << 20 });
        ChannelOptions large = new() { SegmentCount = 2, SegmentBytes = 1 << 20 };
        foreach (Action told in (Action[])[() => IpcChannel.Connect(folder.File("s"), large), () => listener.Accept(s_soon)])
        {
            IpcProtocolException refused = Assert.Throws<IpcProtocolException>(told);
            Assert.Equal(IpcFault.BadHandshake, refused.Fault);
            Assert.Contains("MaxPoolBytes", refused.Message);
        }
        using IpcChannel client = IpcChannel.Connect(folder.File("s"), large with { SegmentCount = 1 }), server = listener.Accept(s_soon);
        Assert.Equal(1, client.SegmentPool!.Available);
    }

    [Fact]
    public void Segments_take_no_memory_before_they_are_rented()
    {
        Shared.ShareLayout layout = new(Shared.ShareLayout.UsualRing, 16, 4 << 20);
        Shared.SharedMemory memory = Shared.SharedMemory.TryCreate(layout.Length, out int file)!;
        using Microsoft.Win32.SafeHandles.SafeFileHandle handle = new(file, ownsHandle: true);
        Assert.True(Census.BytesOf(file) < 1 << 20, $"{Census.BytesOf(file)} bytes are taken");
        Assert.True(memory.Populate(layout.Segment(3), layout.SegmentBytes));
        Assert.True(Census.BytesOf(file) >= layout.SegmentBytes, $"only {Census.BytesOf(file)} bytes are taken");
        memory.Unmap();
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

    [Theory]
    [InlineData(1L << 40)]
    [InlineData(-5)]
    [InlineData(long.MinValue)]
    public unsafe void Impossible_counters_of_the_ring_break_the_channel(long consumed)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { Timeout = TimeSpan.FromSeconds(2) });
        using (a)
        using (b)
        {
            Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
            b.SharedForTests->Consumed = consumed;
            // The count is read when the room that is known does not suffice.
            Assert.Equal(IpcFault.BadSharedMemory, Assert.Throws<IpcProtocolException>(() => a.Send(new byte[3_000_000])).Fault);
        }
    }

    [Fact]
    public unsafe void Impossible_counters_of_the_rings_sender_break_the_channel()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { Timeout = TimeSpan.FromSeconds(2) });
        using (a)
        using (b)
        {
            // Taken back after it was seen.
            byte[] block = new byte[600_000];
            Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
            a.Send(block);
            b.Receive(block);
            a.Send(block);
            b.SharedForTests->Consumed = 0;
            Assert.Equal(IpcFault.BadSharedMemory, Assert.Throws<IpcProtocolException>(() => a.Send(block)).Fault);
        }
        (a, b) = IpcChannel.CreatePair(new() { Timeout = TimeSpan.FromSeconds(2) });
        using (a)
        using (b)
        {
            Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
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
