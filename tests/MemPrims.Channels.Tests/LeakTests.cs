namespace MemPrims.Channels.Tests;

// What a careless user drops: the collector closes and unmaps it. What is pinned stays mapped.
[Collection(Alone.Name)]
public class LeakTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [Theory, InlineData("nothing is disposed"), InlineData("one end is disposed"), InlineData("shared memory is dropped")]
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
        if (way.Contains("memory", StringComparison.Ordinal)) _ = SharedMemory.Create(100_000).Length;
        (IpcChannel _, IpcChannel b) = IpcChannel.CreatePair();
        if (way.Contains("end", StringComparison.Ordinal)) b.Dispose();
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
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
            a.Life.Break(new TimeoutException());
            Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => a.Send([1])).Fault);
        }
    }

    [Fact]
    public void A_channel_disposed_in_a_race_is_named_as_the_channel()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        using (b)
        {
            // What a call meets that looked just before Dispose closed the socket.
            CloseSocket(a);
            Action[] calls = [() => a.Send([1]), () => a.Receive(TimeSpan.Zero), () => a.DuplicateHandle(),
                () => a.ReceiveAsync(TimeSpan.Zero).AsTask().GetAwaiter().GetResult()];
            foreach (Action call in calls)
                Assert.Equal(typeof(IpcChannel).FullName, Assert.Throws<ObjectDisposedException>(call).ObjectName);
        }
    }

    private static void CloseSocket(IpcChannel channel) => channel.Socket.Dispose();
}
