using MemPrims.Records.Reading;

namespace MemPrims.Records.Writing;

/// <summary>
/// Transactions of one <c>MappedFile</c> take turns: the next begins when the one before has ended, or waits for that up to
/// <see cref="MappedFileOptions.WriterTimeout"/>. Closing the file waits for the commits that run, and lets nobody in after that.
/// </summary>
internal sealed class WriterTurn(string path, MappedFileOptions options)
{
    private const int MostYields = 20;

    private Holder? _holder;
    private int _commits;
    private bool _closed, _isTaken;

    /// <summary>The lock of everything about turns and groups. Nothing slow happens under it.</summary>
    public object Gate { get; } = new();

    /// <summary>How many threads wait for their turn.</summary>
    public int Waiting { get; private set; }

    public void Take(in Deadline deadline)
    {
        // A transaction that changes a few records is over sooner than a thread that sleeps is woken.
        for (int yields = 0; yields < MostYields && Volatile.Read(ref _isTaken); yields++) Thread.Yield();
        lock (Gate)
        {
            if (_holder is not null && !_closed) Wait(deadline);
            ThrowIfClosed();
            _holder = new();
            Volatile.Write(ref _isTaken, true);
        }
    }

    /// <summary>Lets the next one in.</summary>
    public void Give()
    {
        lock (Gate)
        {
            _holder = null;
            Volatile.Write(ref _isTaken, false);
            if (Waiting > 0) Monitor.Pulse(Gate);
        }
    }

    /// <summary>A commit runs until <see cref="EndCommit"/>: the file is not closed before. Under the gate.</summary>
    public void BeginCommit()
    {
        ThrowIfClosed();
        _commits++;
    }

    public void EndCommit()
    {
        lock (Gate)
        {
            if (--_commits == 0 && _closed) Monitor.PulseAll(Gate);
        }
    }

    /// <summary>
    /// Turns away who waits and who comes, and returns when no commit runs. A commit ends, since its waiting for pins does.
    /// </summary>
    public void Close()
    {
        lock (Gate)
        {
            _closed = true;
            Monitor.PulseAll(Gate);
            while (_commits > 0) Monitor.Wait(Gate);
        }
    }

    private void ThrowIfClosed()
    {
        if (_closed) throw new ObjectDisposedException("MappedFile", $"{path} was closed.");
    }

    private void Wait(in Deadline deadline)
    {
        if (_holder!.Value.Thread == Environment.CurrentManagedThreadId)
            throw new MappedFileException(MappedFileReason.Locked, path,
                "This thread began a transaction of this MappedFile that is open still, and would wait for itself: dispose that one before the next begins. (A transaction that is held over an await counts for the thread that began it: end it before the await.)");
        Waiting++;
        try
        {
            while (_holder is { } holder && !_closed)
            {
                int left = deadline.MillisecondsLeft;
                if (left == 0) throw new MappedFileException(MappedFileReason.Locked, path,
                    $"Another transaction of this MappedFile, begun by {holder}, did not end within {options.WriterTimeout}: dispose it, or wait longer (WriterTimeout).");
                Monitor.Wait(Gate, left);
            }
        }
        finally
        {
            Waiting--;
        }
    }
}
