namespace MemPrims.Pages;

/// <summary>
/// What all trees over one store share: which thread changes it now, whether it was disposed of, and whether its pages may be called
/// sound. Threads: any. One thread at a time is let in to change; another one is turned away before it has changed a byte.
/// </summary>
internal sealed class StoreUse
{
    private int _thread, _depth, _isClosing;

    public bool IsDisposed { get; private set; }

    /// <summary>Two threads have changed the store at once, or tried to.</summary>
    public bool IsBroken { get; private set; }

    /// <summary>Whether all that was begun has ended: false during a build, and after one that failed.</summary>
    public bool IsWhole
    {
        get;
        set
        {
            field = value;
            WholeChanged?.Invoke();
        }
    }

    /// <summary>Called after <see cref="IsWhole"/> was set.</summary>
    public Action? WholeChanged { get; set; }

    public bool IsMine => _thread == Environment.CurrentManagedThreadId;

    /// <summary>Begins a change. The same thread may begin another one inside: the directory of a file is a tree too.</summary>
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

    /// <summary>Notes and tells that two have changed the store at once.</summary>
    public void Break()
    {
        IsBroken = true;
        IsWhole = false;
        PageErrors.ChangedMeanwhile();
    }

    /// <summary>Waits for the thread that makes a change, and turns all others away for good. False: that has been done before.</summary>
    public bool Close()
    {
        if (Interlocked.Exchange(ref _isClosing, 1) != 0) return false;
        int me = Environment.CurrentManagedThreadId;
        SpinWait wait = default;
        while (Interlocked.CompareExchange(ref _thread, me, 0) is var there && there != 0 && there != me) wait.SpinOnce();
        return IsDisposed = true;
    }
}
