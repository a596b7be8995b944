namespace DocumentStore;

/// <summary>As long as somebody has it, what was found stays where it is. A compaction waits for it, so give it back soon.</summary>
public sealed class Pin : IDisposable
{
    private readonly int _side;
    private Pins? _pins;

    internal Pin(Pins pins) => (_pins, _side) = (pins, pins.Enter());

    public void Dispose() => Interlocked.Exchange(ref _pins, null)?.Leave(_side);
}

/// <summary>
/// Counts who reads what a compaction is about to drop. There are two sides: new readers are counted on one of them, while a compaction
/// waits for the other one to become empty. Threads: any number read; one waits.
/// </summary>
internal sealed class Pins
{
    private readonly object _gate = new();
    private readonly int[] _readers = new int[2];
    private int _side;

    /// <returns>For <see cref="Leave"/>.</returns>
    public int Enter()
    {
        lock (_gate)
        {
            _readers[_side]++;
            return _side;
        }
    }

    public void Leave(int side)
    {
        lock (_gate)
            if (--_readers[side] == 0) Monitor.PulseAll(_gate);
    }

    /// <summary>Waits for all who read now; who comes later is not waited for.</summary>
    /// <exception cref="TimeoutException">Somebody has not ended in time.</exception>
    public void Drain(TimeSpan timeout)
    {
        long end = Environment.TickCount64 + (long)timeout.TotalMilliseconds;
        lock (_gate)
        {
            // There may be some left there, of a wait that was given up.
            WaitFor(1 - _side);
            _side = 1 - _side;
            WaitFor(1 - _side);
        }

        void WaitFor(int side)
        {
            while (_readers[side] > 0)
                if (end - Environment.TickCount64 is var left && (left <= 0 || !Monitor.Wait(_gate, (int)Math.Min(left, int.MaxValue))))
                    throw new TimeoutException($"Somebody has pinned the collection for {timeout.TotalSeconds:0.###} s. Dispose each Pin; "
                        + "nothing is lost, and the next compaction drops what this one has not.");
        }
    }
}
