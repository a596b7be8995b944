namespace DocumentStore.Cluster;

/// <summary>How far a node is, and who waits for it. Threads: any.</summary>
internal sealed class RaftProgress
{
    private readonly TaskCompletionSource _failed = New();
    private TaskCompletionSource _moved = New();
    private long _committed, _applied;

    /// <summary>The last entry that a majority has on the disk, as far as this node knows. It only grows.</summary>
    public long Committed
    {
        get => Volatile.Read(ref _committed);
        set => Move(ref _committed, value);
    }

    /// <summary>The last one that is in the collection.</summary>
    public long Applied
    {
        get => Volatile.Read(ref _applied);
        set => Move(ref _applied, value);
    }

    /// <summary>Fails with the disk.</summary>
    public Task Failed => _failed.Task;

    /// <summary>Waits until something holds that changes with these.</summary>
    public async ValueTask UntilAsync(Func<bool> holds, CancellationToken cancellationToken)
    {
        for (Task moved = Next; !holds(); moved = Next) await moved.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Ends with the next of these changes.</summary>
    public Task Next => Volatile.Read(ref _moved).Task;

    public void Fail(Exception why) => _failed.TrySetException(why);

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Move(ref long what, long value)
    {
        if (value <= Volatile.Read(ref what)) return;
        Volatile.Write(ref what, value);
        Interlocked.Exchange(ref _moved, New()).SetResult();
    }
}
