using System.Buffers;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace MemPrims.Channels.Tests;

/// <summary>What a careless user drops: the collector closes and unmaps it. What is pinned stays mapped.</summary>
[Collection(Alone.Name)]
public class LeakTests
{
    private const BindingFlags Hidden = BindingFlags.Instance | BindingFlags.NonPublic;

    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);
    private static readonly ChannelOptions s_segments = new() { SegmentCount = 2, SegmentBytes = 8192, TrustPeer = true };

    public static TheoryData<string> Ways =>
    [
        "a segment is rented, the channel disposed", "a trusted message is dropped, the channels disposed", "nothing is disposed",
        "Completion was read, nothing is disposed", "Completion was read of one end, the other is disposed",
        "a segment is pinned and both are dropped",
    ];

    [Theory]
    [MemberData(nameof(Ways))]
    public void What_is_dropped_is_collected(string way)
    {
        Drop(way);
        Collect();
        int files = Census.SettledFiles(), maps = Census.Maps;
        for (int i = 0; i < 20; i++) Drop(way);
        for (int i = 0; i < 100 && (Census.Maps > maps || Census.Files > files); i++)
        {
            Collect();
            Thread.Sleep(10);
        }
        Census.AssertFiles(files);
        Assert.True(Census.Maps <= maps, $"{Census.Maps} maps, {maps} before");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop(string way)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_segments);
        SharedSegment segment = a.SegmentPool!.Rent(s_soon);
        if (way.Contains("pinned", StringComparison.Ordinal)) _ = segment.Pin();
        if (way.Contains("trusted", StringComparison.Ordinal))
        {
            a.Send(segment, 100);
            _ = b.Receive(s_soon)!.Payload.Length;
        }
        if (way.Contains("Completion", StringComparison.Ordinal))
        {
            _ = a.Completion;
            if (!way.Contains("one end", StringComparison.Ordinal)) _ = b.Completion;
        }
        if (way.Contains("nothing", StringComparison.Ordinal)) return;
        b.Dispose();
        if (!way.Contains("Completion", StringComparison.Ordinal)) a.Dispose();
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    [Fact]
    public async Task Who_awaits_Completion_goes_on_when_the_channel_is_collected()
    {
        Task completion = CompletionOfDropped();
        for (int i = 0; i < 200 && !completion.IsCompleted; i++)
        {
            Collect();
            await Task.Delay(10);
        }
        await completion.WaitAsync(s_soon);
    }

    // Only the task goes into the async method: compiled for Debug, such a method keeps its locals until it ends.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Task CompletionOfDropped() => Await(IpcChannel.CreatePair().A.Completion);

    private static async Task Await(Task completion) => await completion;

    [Fact]
    public void A_dropped_segment_can_be_rented_again_while_the_channel_lives()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_segments);
        using (a)
        using (b)
        {
            RentAndDrop(a);
            for (int i = 0; i < 200 && a.SegmentPool!.Available < 2; i++)
            {
                Collect();
                Thread.Sleep(10);
            }
            Assert.Equal(2, a.SegmentPool!.Available);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RentAndDrop(IpcChannel channel)
    {
        for (int i = 0; i < 2; i++) _ = channel.SegmentPool!.Rent(s_soon).Length;
    }

    [Fact]
    public void A_segment_disposed_late_does_not_give_back_the_next_use()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_segments with { SegmentCount = 1 });
        using (a)
        using (b)
        {
            SharedSegment old = a.SegmentPool!.Rent(s_soon);
            a.Send(old, 10);
            b.Receive(s_soon)!.Dispose();
            using SharedSegment next = a.SegmentPool.Rent(s_soon);
            old.Dispose();
            Assert.Throws<InvalidOperationException>(() => old.GetSpan().Length);
            Assert.Equal(0, a.SegmentPool.Available);
            next.GetSpan().Fill(1);
        }
    }

    [Fact]
    public unsafe void What_is_pinned_stays_mapped_until_it_is_unpinned()
    {
        int maps = Census.Maps;
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_segments);
        SharedSegment segment = a.SegmentPool!.Rent(s_soon), second = a.SegmentPool.Rent(s_soon);
        segment.GetSpan().Fill(5);
        MemoryHandle sent = segment.Pin(), rented = second.Pin(1);
        a.Send(segment, 1000);
        IpcMessage message = b.Receive(s_soon)!;
        MemoryHandle pinned = message.Payload[10..].Pin();
        message.Dispose();
        second.Dispose();
        Assert.Throws<InvalidOperationException>(() => second.Pin());
        a.Dispose();
        b.Dispose();
        // Each of these is a crash of the process where the memory is gone.
        Assert.Equal(5, *(byte*)pinned.Pointer);
        *(byte*)sent.Pointer = 6;
        *(byte*)rented.Pointer = 7;
        Assert.True(Census.Maps >= maps + 4, $"{Census.Maps} maps, {maps} before");
        sent.Dispose();
        rented.Dispose();
        pinned.Dispose();
        Assert.True(Census.Maps <= maps, $"{Census.Maps} maps, {maps} before");
    }

    // In a process of its own: without the fix it ends by a write to memory that is not mapped.
    [Fact]
    public void A_channel_that_breaks_while_it_is_disposed_touches_no_unmapped_memory() => Child.Run(BreakDisposed).AssertSucceeded();

    private static void BreakDisposed(string[] arguments)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        using (b)
        {
            // An asynchronous receive finds its time over, and another thread's Dispose closes the socket just before it breaks the
            // channel.
            CloseSocket(a);
            typeof(IpcChannel).GetMethod("Break", Hidden)!.Invoke(a, [new TimeoutException()]);
            Assert.Equal(IpcFault.Broken, Assert.Throws<IpcProtocolException>(() => a.Send([1])).Fault);
        }
    }

    [Fact]
    public void A_channel_disposed_in_a_race_is_named_as_the_channel()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_segments);
        using (b)
        {
            // What a call meets that looked just before Dispose closed the socket.
            CloseSocket(a);
            Action[] calls = [() => a.Send([1]), () => a.Receive(TimeSpan.Zero), () => a.SegmentPool!.Rent(TimeSpan.Zero),
                () => a.DuplicateHandle()];
            foreach (Action call in calls)
                Assert.Equal(typeof(IpcChannel).FullName, Assert.Throws<ObjectDisposedException>(call).ObjectName);
        }
    }

    private static void CloseSocket(IpcChannel channel) =>
        ((IDisposable)typeof(IpcChannel).GetField("_socket", Hidden)!.GetValue(channel)!).Dispose();
}
