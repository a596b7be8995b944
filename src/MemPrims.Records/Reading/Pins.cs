using MemPrims.Records.Storage;
using MemPrims.Records.Waiting;

namespace MemPrims.Records.Reading;

/// <summary>
/// The locks behind the pins of one open file: shared locks on the bytes of even and of odd transactions, on an open file description of
/// their own, since a lock on the writer's own description would be no lock. Each is taken with the first pin of its parity and let go
/// with the last. The kernel frees both when the process dies.
/// </summary>
internal sealed class PinLock(RecordFile file)
{
    private readonly OrderedLock _lock = new(LockOrder.Leaf);
    private readonly int[] _pins = new int[2];
    private IStorage? _handle;
    private Action? _closed;

    /// <summary>
    /// Locks the parity of the newest state, and pins that state if it still stands: from then on the writer gets no further than one
    /// commit. Otherwise a commit came between, and it is tried again.
    /// </summary>
    public Pin Take()
    {
        FileState state = file.Latest();
        for (Deadline deadline = new(file.Options.PinTimeout); ; state = file.Latest())
        {
            LockByte parity = (LockByte)(state.Transaction & 1);
            if (TryHold(parity))
            {
                if (state.Stands()) return new(this, parity, state);
                Release(parity);
                continue;
            }
            if (deadline.HasPassed)
                throw new MappedFileException(MappedFileReason.Pinned, file.Path,
                    $"The writer was busy committing for {deadline.Timeout}: try again, or wait longer (PinTimeout).");
            Thread.Sleep(1);
        }
    }

    private bool TryHold(LockByte parity)
    {
        using (_lock.Enter())
        {
            if (_closed is not null) throw file.Closed();
            if (_pins[(int)parity] == 0 && !(_handle ??= file.Storage.Reopen()).TryLock(parity, exclusive: false)) return false;
            _pins[(int)parity]++;
            return true;
        }
    }

    /// <summary>Ends one pin.</summary>
    public void Release(LockByte parity)
    {
        using (_lock.Enter())
        {
            if (--_pins[(int)parity] > 0) return;
            _handle!.Unlock(parity);
            EndIfClosed();
        }
    }

    /// <summary>No pin is taken from now on. The last one ends the handle and calls <paramref name="closed"/>.</summary>
    public void Close(Action closed)
    {
        using (_lock.Enter())
        {
            _closed = closed;
            EndIfClosed();
        }
    }

    private void EndIfClosed()
    {
        if (_closed is null || _pins[0] + _pins[1] > 0) return;
        _handle?.Dispose();
        _closed();
    }
}

/// <summary>
/// One pin. Its state refers to it, so that whoever has a view or a scan of the state holds the pin. One that was never disposed ends with
/// the garbage collection that finds it.
/// </summary>
internal sealed class Pin : IDisposable
{
    private readonly Holders.Entry _entry;
    private readonly LockByte _parity;
    private PinLock? _lock;

    public Pin(PinLock held, LockByte parity, FileState state)
    {
        State = state.HeldBy(this);
        _lock = held;
        _parity = parity;
        _entry = Holders.Add(state.Meta.Header.FileId, parity, this);
    }

    ~Pin() => Dispose();

    public FileState State { get; }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _lock, null) is not { } held) return;
        GC.SuppressFinalize(this);
        held.Release(_parity);
        Holders.Remove(_entry);
    }
}

/// <summary>
/// Who in this process holds which byte of which file: pins and writers, for the message of a writer that waited for one. A commit waits
/// for pins of other code and other processes. A pin of the code that commits would never end while that waits, so that one is an error at
/// once.
/// </summary>
internal static class Holders
{
    private static readonly OrderedLock s_lock = new(LockOrder.Leaf);
    private static readonly HashSet<Entry> s_entries = [];

    // The code that runs on this thread and has taken pins. It is forgotten when other code comes to run here: an await, a task. A pin
    // that is held over an await would otherwise pass for one of whatever its thread does meanwhile.
    [ThreadStatic]
    private static object? t_code;
    private static readonly AsyncLocal<Entry?> s_newest = new(static change =>
    {
        if (change.ThreadContextChanged) t_code = null;
    });

    internal sealed class Entry(ulong file, LockByte which, Pin? pin, object? code) : Holder
    {
        private readonly WeakReference<Pin>? _pin = pin is null ? null : new(pin);

        /// <summary>Whether nobody refers to the pin any more: its finalizer is about to give it back.</summary>
        public bool IsLost => _pin?.TryGetTarget(out _) == false;

        public bool IsOf(object other) => code == other;

        public bool Holds(ulong otherFile, LockByte other) => file == otherFile && which == other;
    }

    /// <summary>What runs on this thread, for <see cref="OfCode"/>; null where it has taken no pin.</summary>
    public static object? RunningCode => t_code;

    public static Entry Add(ulong file, LockByte which, Pin? pin = null)
    {
        Entry entry = new(file, which, pin, pin is null ? null : t_code ??= new());
        // Each pin is another value, so that a return from an asynchronous method that took one is a change.
        if (pin is not null) s_newest.Value = entry;
        using (s_lock.Enter()) s_entries.Add(entry);
        return entry;
    }

    public static void Remove(Entry entry)
    {
        using (s_lock.Enter()) s_entries.Remove(entry);
    }

    /// <summary>A pin of any of this code; null when there is none.</summary>
    public static Holder? OfCode(ulong file, LockByte which, IReadOnlyList<object> code)
    {
        using (s_lock.Enter()) return s_entries.FirstOrDefault(entry => entry.Holds(file, which) && code.Any(entry.IsOf));
    }

    /// <summary>Whether there are pins to which nobody refers. They are found by a collection.</summary>
    public static bool HasLost(ulong file, LockByte which)
    {
        using (s_lock.Enter()) return s_entries.Any(entry => entry.Holds(file, which) && entry.IsLost);
    }

    /// <summary>All of this process in words; null when there are none.</summary>
    public static string? Describe(ulong file, LockByte which)
    {
        using (s_lock.Enter())
        {
            string[] holders = [.. s_entries.Where(entry => entry.Holds(file, which)).Select(entry => $"by {entry}")];
            return holders.Length == 0 ? null : string.Join(", ", holders);
        }
    }
}
