using MemPrims.Records.Reading;

namespace MemPrims.Records.Writing;

/// <summary>
/// Transactions of one <c>MappedFile</c> take turns: the next begins when the one before has ended, or waits for that up to <see
/// cref="MappedFileOptions.WriterTimeout"/>. Closing the file waits for the commits that run, and lets nobody in after that.
/// </summary>
internal sealed class WriterTurn(string path, MappedFileOptions options)
{
    private const int MostYields = 20;

    // Flows with the code that began a transaction, over each await of it, and so tells that code from other code on the same thread.
    private static readonly AsyncLocal<object?> s_begun = new();

    private Holder? _holder;
    private object? _begun;
    private TaskCompletionSource? _given;
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
            Hold();
        }
        s_begun.Value = _begun;
    }

    /// <summary>The same without a thread that waits.</summary>
    public async ValueTask TakeAsync(Deadline deadline, CancellationToken cancellation)
    {
        while (true)
        {
            Task given;
            lock (Gate)
            {
                if (_holder is null || _closed)
                {
                    Hold();
                    return;
                }
                if (deadline.MillisecondsLeft == 0) throw Late();
                given = (_given ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
                Waiting++;
            }
            try
            {
                await given.WaitAsync(TimeSpan.FromMilliseconds(deadline.MillisecondsLeft), cancellation).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                // Another look at the turn and at the clock.
            }
            finally
            {
                lock (Gate) Waiting--;
            }
        }
    }

    /// <summary>Lets the next one in.</summary>
    public void Give()
    {
        lock (Gate)
        {
            _holder = null;
            Volatile.Write(ref _isTaken, false);
            if (Waiting > 0) Wake();
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

    /// <summary>Turns away who waits and who comes.</summary>
    public void Close()
    {
        lock (Gate)
        {
            _closed = true;
            Monitor.PulseAll(Gate);
            Wake();
        }
    }

    /// <summary>Returns when no commit runs. A commit ends, since its waiting for pins does.</summary>
    public void WaitForCommits()
    {
        lock (Gate)
        {
            while (_commits > 0) Monitor.Wait(Gate);
        }
    }

    private void ThrowIfClosed()
    {
        if (_closed) throw new ObjectDisposedException("MappedFile", $"{path} was closed.");
    }

    private void Hold()
    {
        ThrowIfClosed();
        _holder = new();
        _begun = new();
        Volatile.Write(ref _isTaken, true);
    }

    private void Wake()
    {
        Monitor.Pulse(Gate);
        _given?.SetResult();
        _given = null;
    }

    private void Wait(in Deadline deadline)
    {
        if (_holder!.Value.Thread == Environment.CurrentManagedThreadId && s_begun.Value == _begun)
            throw new MappedFileException(MappedFileReason.Locked, path,
                "The caller began a transaction of this MappedFile that is still open, and would wait for itself: dispose that one "
                    + "first.");
        Waiting++;
        try
        {
            while (_holder is not null && !_closed)
            {
                int left = deadline.MillisecondsLeft;
                if (left == 0) throw Late();
                Monitor.Wait(Gate, left);
            }
        }
        finally
        {
            Waiting--;
        }
    }

    private MappedFileException Late() => new(MappedFileReason.Locked, path, _holder!.Value.Age >= options.WriterTimeout
        ? $"Another transaction of this MappedFile, begun by {_holder}, did not end within {options.WriterTimeout}: dispose it, or wait "
            + "longer (WriterTimeout)."
        : $"Other transactions of this MappedFile came first for {options.WriterTimeout}; the last of them was begun by {_holder}. There "
            + "are too many writers for the time allowed: wait longer (WriterTimeout), or have fewer.");
}
