namespace MemPrims.Records.Reading;

// One pin. Its state refers to it, so that whoever has a view or a scan of the state holds the pin. One that was never disposed ends with
// the garbage collection that finds it.
internal sealed class Pin : IDisposable
{
    private readonly HeldLocks.Entry _entry;
    private readonly LockByte _parity;
    private PinLock? _lock;

    public Pin(PinLock held, LockByte parity, FileState state)
    {
        State = state.HeldBy(this);
        _lock = held;
        _parity = parity;
        _entry = HeldLocks.Add(state.Meta.Header.FileId, parity, this);
    }

    ~Pin() => Dispose();

    public FileState State { get; }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _lock, null) is not { } held) return;
        GC.SuppressFinalize(this);
        held.Release(_parity);
        HeldLocks.Remove(_entry);
    }
}
