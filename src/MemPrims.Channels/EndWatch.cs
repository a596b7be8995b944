namespace MemPrims.Channels;

// Waits for the end of a peer in the background, for IpcChannel.WhenEnded. The poller does not keep the channel alive by it: one that
// nobody knows any more is collected, and the finalizer here ends the wait. Whoever awaits the end goes on then.
internal sealed class EndWatch
{
    private readonly Poller.Wait? _wait;

    public EndWatch(ChannelSocket socket, Receiver receiver, Life life)
    {
        using Hold use = life.Begin();
        _wait = Poller.Begin(socket, Posix.POLLRDHUP);
        WhenEnded(_wait, new(receiver), life.EndedSource);
    }

    ~EndWatch() => _wait?.End();

    public void End()
    {
        GC.SuppressFinalize(this);
        _wait?.End();
    }

    private static void WhenEnded(Poller.Wait wait, WeakReference<Receiver> weak, TaskCompletionSource ended) =>
        wait.Task.ContinueWith(_ =>
        {
            if (weak.TryGetTarget(out Receiver? receiver)) receiver.EndIfDrained();
            else ended.TrySetResult();
        }, TaskScheduler.Default);
}
