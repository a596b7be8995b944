namespace MemPrims.Channels.Tests;

// What each public call meets that no other test tries: an end or a listener that is disposed, another call under way, a token. The table
// is in the package's README.
[Collection(Alone.Name)]
public class MeetsTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task Every_call_of_a_disposed_end_names_the_channel()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        a.Dispose();
        a.Dispose();
        Action[] calls =
        [
            () => a.Send([1]), () => a.Send([1], []), () => a.TrySend([1]), () => a.Receive(), () => a.Receive(TimeSpan.Zero),
            () => a.Receive(new byte[1]), () => a.TryReceive(out _), () => a.DuplicateHandle()
        ];
        foreach (Action call in calls) Assert.Contains(nameof(IpcChannel), Assert.Throws<ObjectDisposedException>(call).ObjectName);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await a.SendAsync(new byte[1]));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await a.ReceiveAsync());
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await a.ReceiveAsync(TimeSpan.Zero));
        Assert.Equal((Environment.ProcessId, true, false), (a.PeerCredentials.ProcessId, a.HasEnded, a.IsBroken));
        b.Dispose();
    }

    [Fact]
    public async Task A_disposed_end_is_disposed_though_it_was_broken()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out _, new() { UseSharedMemory = false, Timeout = TimeSpan.FromMilliseconds(50) });
        Assert.Throws<TimeoutException>(() => a.Send(new byte[3 << 20]));
        Assert.Equal(IpcFault.Broken, Assert.Throws<IpcProtocolException>(() => a.Send([1])).Fault);
        a.Dispose();
        foreach (Action call in (Action[])[() => a.Send([1]), () => a.Receive(), () => a.TryReceive(out _), () => a.DuplicateHandle()])
            Assert.Throws<ObjectDisposedException>(call);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await a.ReceiveAsync());
        Assert.True(a.IsBroken);
    }

    [Fact]
    public async Task An_asynchronous_send_fails_by_its_task()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        ValueTask cancelled = a.SendAsync(new byte[1], new CancellationToken(canceled: true));
        Assert.True(cancelled.IsCanceled);
        b.Dispose();
        ValueTask gone = a.SendAsync(new byte[1]);
        Assert.Equal(IpcFault.PeerGone, (await Assert.ThrowsAsync<IpcPeerGoneException>(async () => await gone)).Fault);
        a.Dispose();
        ValueTask disposed = a.SendAsync(new byte[1]);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await disposed);
        // The caller's mistake is told at once.
        Assert.Throws<ArgumentException>(() => { _ = a.SendAsync(new byte[(256 << 20) + 1]); });
    }

    [Theory, InlineData(true), InlineData(false)]
    public void The_calls_that_never_wait_are_false_beside_another_one(bool shared)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared });
        using Background receiving = new(() => Assert.Throws<ObjectDisposedException>(() => a.Receive()));
        using Background sending = new(() => Assert.Throws<ObjectDisposedException>(() => a.Send(new byte[8 << 20])));
        // The other threads may begin late; what is sent until then is read by nobody, and would not fill the channel.
        for (int early = 0; a.TrySend([1]); early++)
        {
            Assert.True(early < 100);
            Thread.Sleep(100);
        }
        Assert.False(a.TryReceive(out _));
        a.Dispose();
    }

    [Fact]
    public async Task Accept_without_a_thread_ends_by_its_token_and_by_the_listeners_end()
    {
        string name = $"@memprims-{Guid.NewGuid():N}";
        using IpcListener listener = IpcListener.Listen(name);
        using CancellationTokenSource stop = new(50);
        OperationCanceledException cancelled =
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await listener.AcceptAsync(stop.Token));
        Assert.Equal(stop.Token, cancelled.CancellationToken);
        // The client that comes after it is the next call's.
        using (IpcChannel client = IpcChannel.Connect(name))
        using (IpcChannel server = await listener.AcceptAsync().AsTask().WaitAsync(s_soon))
        {
            client.Send([4]);
            Assert.Equal(1, server.Receive(new byte[1], s_soon));
        }
        Assert.Throws<TimeoutException>(() => listener.Accept(TimeSpan.FromMilliseconds(20)));
        Task accepting = listener.AcceptAsync().AsTask();
        listener.Dispose();
        listener.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => accepting.WaitAsync(s_soon));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await listener.AcceptAsync());
        Assert.Throws<ObjectDisposedException>(() => listener.Accept());
    }

    [Fact]
    public async Task Cancelled_calls_that_race_with_clients_lose_none()
    {
        string name = $"@memprims-{Guid.NewGuid():N}";
        using IpcListener listener = IpcListener.Listen(name);
        int clients = LongRuns.Of(40, 400), served = 0;
        using Background connecting = new(() =>
        {
            for (int i = 0; i < clients; i++)
            {
                using IpcChannel client = IpcChannel.Connect(name);
                Assert.Null(client.Receive(s_soon));
            }
        });
        for (int tries = 0; served < clients; tries++)
        {
            using CancellationTokenSource stop = new(tries % 3);
            try
            {
                (await listener.AcceptAsync(stop.Token)).Dispose();
                served++;
            }
            catch (OperationCanceledException)
            {
                // Again.
            }
        }
    }
}
