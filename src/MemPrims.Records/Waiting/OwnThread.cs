namespace MemPrims.Records.Waiting;

// A thread for what must get done though all threads of the pool wait for it. It begins with the first piece of work and ends when there
// was none for a second. Its pieces run one after another.
internal sealed class OwnThread(string name)
{
    private const int IdleMilliseconds = 1000;

    [ThreadStatic]
    private static bool t_isRunning;

    private readonly OrderedLock _lock = new(LockOrder.Leaf);
    private readonly Queue<Action> _work = new();
    private bool _runs;

    // Whether the caller runs on such a thread. Nobody else has it in hand, so nobody interrupts it.
    public static bool IsRunning => t_isRunning;

    // False when the system has no thread to give. The work is the caller's then.
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
        t_isRunning = true;
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
