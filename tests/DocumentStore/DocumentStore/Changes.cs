namespace DocumentStore;

/// <summary>
/// Makes changes one at a time: into the log, to the disk, and then into the keys. After one that has failed nobody knows what is on the
/// disk, and no more are made. Threads: any number; they take turns.
/// </summary>
/// <param name="log">Where to write.</param>
/// <param name="keys">Learn of it.</param>
/// <param name="made">Runs after each change.</param>
internal sealed class Changes(LogFile log, KeyIndex keys, Action made)
{
    private readonly Lock _lock = new();
    private Exception? _failure;
    private bool _isClosed;

    /// <returns>The end of the log on the disk.</returns>
    public long Make(Batch batch)
    {
        lock (_lock)
        {
            ThrowIfClosed();
            List<Batch.Change> changes = batch.Against(keys);
            if (changes.Count > 0) Make(() => Batch.Append(log, changes));
            return log.SyncedEnd;
        }
    }

    /// <param name="append">Appends to the log.</param>
    public void Make(Action append)
    {
        lock (_lock)
        {
            ThrowIfClosed();
            try
            {
                append();
                log.Sync();
                keys.CatchUp(log.SyncedEnd);
                made();
            }
            catch (Exception why)
            {
                _failure = why;
                throw;
            }
        }
    }

    /// <summary>Runs something while nothing changes.</summary>
    public T Hold<T>(Func<T> run)
    {
        lock (_lock) return run();
    }

    /// <summary>Lets no more changes begin.</summary>
    public void Close()
    {
        lock (_lock) _isClosed = true;
    }

    private void ThrowIfClosed()
    {
        ObjectDisposedException.ThrowIf(_isClosed, typeof(Collection));
        if (_failure is { } e) throw new IOException("An earlier change has failed. Open the collection again to change it.", e);
    }
}
