using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace MemPrims.Records.Waiting;

/// <summary>The locks of an open file. A thread that holds one enters only later ones.</summary>
internal enum LockOrder
{
    None,

    /// <summary>One thread at a time writes to the file. No other lock is held while the disk works: <see cref="Writing.Writer"/>.
    /// </summary>
    Disk,

    /// <summary>Whose turn it is, and which commits are under way: <see cref="Writing.Writer"/>.</summary>
    Turn,

    /// <summary>What is committed, and the maps: <see cref="Reading.RecordFile"/>.</summary>
    State,

    /// <summary>Memory for pages, pins, lists of work: nothing is entered from within.</summary>
    Leaf,
}

/// <summary>
/// A lock with its place in an order, which a Debug build asserts. Entering it cannot be interrupted: a commit that has begun ends, and
/// the interrupt comes at the thread's next wait.
/// </summary>
internal sealed class OrderedLock(LockOrder place)
{
#if DEBUG
    [ThreadStatic]
    private static LockOrder t_held;
#endif
    private readonly object _monitor = new();
    private readonly LockOrder _place = place;

    public Scope Enter()
    {
        if (!Monitor.TryEnter(_monitor)) Uninterrupted(_monitor, static monitor => Monitor.Enter(monitor));
        return new(this);
    }

    /// <summary>Lets others in until one of them wakes this thread; false when the time is up before. Can be interrupted.</summary>
    public bool Wait(int milliseconds) => Monitor.Wait(_monitor, milliseconds);

    public void WakeOne() => Monitor.Pulse(_monitor);

    public void WakeAll() => Monitor.PulseAll(_monitor);

    /// <summary>Waits again when the thread is interrupted, and hands the interrupt on to its next wait.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Uninterrupted<T>(T argument, Action<T> wait)
    {
        for (bool interrupted = false; ;)
        {
            try
            {
                wait(argument);
                if (interrupted) Thread.CurrentThread.Interrupt();
                return;
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        }
    }

    public readonly ref struct Scope
    {
        private readonly OrderedLock _held;
#if DEBUG
        private readonly LockOrder _before;
#endif

        public Scope(OrderedLock held)
        {
            _held = held;
#if DEBUG
            _before = t_held;
            System.Diagnostics.Debug.Assert(held._place > _before, $"{held._place} is entered by a thread that holds {_before}.");
            t_held = held._place;
#endif
        }

        public void Dispose()
        {
#if DEBUG
            t_held = _before;
#endif
            Monitor.Exit(_held._monitor);
        }
    }
}

/// <summary>When waiting ends: at once for zero, never for <see cref="Timeout.InfiniteTimeSpan"/>.</summary>
internal readonly struct Deadline(TimeSpan timeout)
{
    private readonly long _start = Stopwatch.GetTimestamp();

    public TimeSpan Timeout { get; } = timeout;

    public bool HasPassed => Timeout != System.Threading.Timeout.InfiniteTimeSpan && Stopwatch.GetElapsedTime(_start) >= Timeout;

    /// <summary>What is left, for a wait that takes milliseconds.</summary>
    public int MillisecondsLeft =>
        Timeout == System.Threading.Timeout.InfiniteTimeSpan ? System.Threading.Timeout.Infinite
            : (int)Math.Clamp(Math.Ceiling((Timeout - Stopwatch.GetElapsedTime(_start)).TotalMilliseconds), 0, int.MaxValue);
}

/// <summary>
/// A thread for what must get done though all threads of the pool wait for it. It begins with the first piece of work and ends when there
/// was none for a second. Its pieces run one after another.
/// </summary>
internal sealed class OwnThread(string name)
{
    private const int IdleMilliseconds = 1000;

    private readonly OrderedLock _lock = new(LockOrder.Leaf);
    private readonly Queue<Action> _work = new();
    private bool _runs;

    /// <summary>False when the system has no thread to give. The work is the caller's then.</summary>
    public bool TryPost(Action work)
    {
        using OrderedLock.Scope held = _lock.Enter();
        if (_runs) _lock.WakeOne();
        else
        {
            try
            {
                new Thread(Run) { IsBackground = true, Name = name }.Start();
            }
            catch (OutOfMemoryException)
            {
                return false;
            }
        }
        _work.Enqueue(work);
        return _runs = true;
    }

    private void Run()
    {
        while (true)
        {
            Action? work;
            using (_lock.Enter())
            {
                if (!_work.TryDequeue(out work))
                {
                    if (_lock.Wait(IdleMilliseconds) || _work.Count > 0) continue;
                    _runs = false;
                    return;
                }
            }
            work();
        }
    }
}

/// <summary>Who took a pin or began a transaction.</summary>
internal class Holder
{
    private readonly Thread _thread = System.Threading.Thread.CurrentThread;
    private readonly long _since = Stopwatch.GetTimestamp();

    public int Thread => _thread.ManagedThreadId;

    public TimeSpan Age => Stopwatch.GetElapsedTime(_since);

    public override string ToString() =>
        $"thread {Thread}{(_thread.Name is { } name ? $" (\"{name}\")" : "")} {Age.TotalSeconds:0.0} seconds ago";
}
