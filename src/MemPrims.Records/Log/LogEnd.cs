namespace MemPrims.Records.Log;

// What is known of the end of a log: by the one that writes it, or by one that reads beside a writer.
internal abstract class LogEnd
{
    protected long _written, _endOfPayloads, _syncedEnd;

    // What was handed to the system, so that maps show it.
    public long Written => Volatile.Read(ref _written);

    public long End => Volatile.Read(ref _endOfPayloads);

    // The end of the last one of which is known that it is on the disk.
    public long SyncedEnd => Volatile.Read(ref _syncedEnd);

    public long EndOf(bool onlySynced) => onlySynced ? SyncedEnd : End;

    // Looks for what another process has written since.
    public virtual void Advance() { }

    // The end of the last frame, or of the last synced one; all before it can be read through the maps. Where the system does not take
    // what was appended, that waits behind the end.
    public abstract long Reach(bool onlySynced, out LogWaiting? waiting);

    // Returns when there is a frame at the position or after it.
    public async ValueTask WaitForMoreAsync(long position, bool onlySynced, CancellationToken cancellationToken)
    {
        while (MoreThan(position, onlySynced) is { } more) await more.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    public abstract void Close();

    // Ends when it is time to look again; null where there is a frame at the position or after it.
    protected abstract Task? MoreThan(long position, bool onlySynced);
}
