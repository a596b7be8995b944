namespace MemPrims.Records.Log;

/// <summary>What is known of the end of a log: by the one that writes it, or by one that reads beside a writer.</summary>
internal abstract class LogEnd
{
    protected long _written, _endOfPayloads, _syncedEnd;

    /// <summary>What was handed to the system, so that maps show it.</summary>
    public long Written => Volatile.Read(ref _written);

    /// <summary>The end of the last frame with a payload.</summary>
    public long End => Volatile.Read(ref _endOfPayloads);

    /// <summary>The end of the last one of which is known that it is on the disk.</summary>
    public long SyncedEnd => Volatile.Read(ref _syncedEnd);

    public long EndOf(bool onlySynced) => onlySynced ? SyncedEnd : End;

    /// <summary>Looks for what another process has written since.</summary>
    public virtual void Advance()
    {
    }

    /// <summary>
    /// The end of the last frame, or of the last synced one; all before it can be read through the maps. Where the system does not take
    /// what was appended, that waits behind the end.
    /// </summary>
    public abstract long Reach(bool onlySynced, out LogWaiting? waiting);

    /// <summary>Returns when there is a frame at the position or after it.</summary>
    public async ValueTask WaitForMoreAsync(long position, bool onlySynced, CancellationToken cancellation)
    {
        while (MoreThan(position, onlySynced) is { } more) await more.WaitAsync(cancellation).ConfigureAwait(false);
    }

    public abstract void Close();

    /// <summary>Ends when it is time to look again; null where there is a frame at the position or after it.</summary>
    protected abstract Task? MoreThan(long position, bool onlySynced);
}
