namespace MemPrims.Pages;

// What all trees over one store share: which thread changes it now, whether it was disposed of, and whether its pages may be called sound.
// Threads: any. One thread at a time is let in to change; another one is turned away before it has changed a byte.
internal sealed class StoreUse
{
    private int _thread, _depth, _isClosing;

    public bool IsDisposed { get; private set; }

    // Two threads have changed the store at once, or tried to.
    public bool IsBroken { get; private set; }

    // Whether all that was begun has ended: false during a build, and after one that failed.
    public bool IsWhole
    {
        get;
        set
        {
            field = value;
            WholeChanged?.Invoke();
        }
    }

    // Called after IsWhole was set.
    public Action? WholeChanged { get; set; }

    public bool IsMine => _thread == Environment.CurrentManagedThreadId;

    // Begins a change. The same thread may begin another one inside: the directory of a file is a tree too.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Enter()
    {
        int me = Environment.CurrentManagedThreadId, there = Interlocked.CompareExchange(ref _thread, me, 0);
        if (there != 0) EnterAgain(there == me);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Leave()
    {
        if (_depth > 0) _depth--;
        else Volatile.Write(ref _thread, 0);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EnterAgain(bool isMine)
    {
        // The end may still wait for this very thread's change, whose parts go on.
        ObjectDisposedException.ThrowIf(isMine ? IsDisposed : Volatile.Read(ref _isClosing) != 0, typeof(IPageStore));
        if (!isMine) Break();
        _depth++;
    }

    // Notes and tells that two have changed the store at once.
    public void Break()
    {
        IsBroken = true;
        IsWhole = false;
        PageErrors.ThrowChangedMeanwhile();
    }

    // Waits for the thread that makes a change, and turns all others away for good. False: that has been done before.
    public bool Close()
    {
        if (Interlocked.Exchange(ref _isClosing, 1) != 0) return false;
        int me = Environment.CurrentManagedThreadId;
        SpinWait wait = default;
        while (Interlocked.CompareExchange(ref _thread, me, 0) is var there && there != 0 && there != me) wait.SpinOnce();
        return IsDisposed = true;
    }
}
