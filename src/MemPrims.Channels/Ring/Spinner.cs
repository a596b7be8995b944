using System.Runtime.Intrinsics.Arm;

namespace MemPrims.Channels.Ring;

// Decides whether a receive looks again and again before it sleeps, and for how long. It does not where sender and receiver share a
// processor, which every header tells: the sender cannot run meanwhile. After three failures in a row it stops for some receives, then
// tries once; each stop lasts twice as many receives as the one before, up to 512. A try that succeeds later than a usual look would have
// is no reason to spin: where ends outnumber processors, answers come in that time and the processor is wanted by others.
// A sleeper needs 20 to 50 µs to wake. Two ends that have both fallen asleep would stay so for ever by looking for 20 µs: each answers
// later than the other looks. So a look lasts five times as long after a send that woke the peer, and in a try after a stop. One such look
// that succeeds finds the peer awake and looking itself.
//
// Used by the one thread that receives; senders call WokePeer and LookUntilRest meanwhile.
internal sealed class Spinner(int microseconds)
{
    private const int LooksBetweenTimes = 32, FailuresUntilStop = 3, FirstStop = 8, LongestStop = 512, Longer = 5;

    private readonly long _ticks = microseconds * Stopwatch.Frequency / 1_000_000;
    private int _failures, _stop = FirstStop, _skipped;
    private long _peerWokenAt, _usualUntil;
    private bool _isLong;

    // Where the peer ran when it sent last; -1 while that is unknown.
    public int PeerProcessor { get; set; } = -1;

    // A send found the peer asleep. Called by senders while another thread may receive.
    public void WokePeer()
    {
        if (_ticks != 0) Volatile.Write(ref _peerWokenAt, Stopwatch.GetTimestamp());
    }

    // Tells the processor that this thread spins. A thread beside it on the same core then gets more of the core.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Pause()
    {
        // Thread.SpinWait(1) takes several of these: too long for an answer that is there in 200 ns.
        if (X86Base.IsSupported) X86Base.Pause();
        else if (ArmBase.IsSupported) ArmBase.Yield();
        else Thread.SpinWait(1);
    }

    // Looks again and again for a counter to change, until a time on the stopwatch.
    public static unsafe bool Sees(long* counter, long seen, long until)
    {
        do
        {
            for (int i = 0; i < LooksBetweenTimes; i++)
            {
                if (Volatile.Read(ref *counter) != seen) return true;
                Pause();
            }
        }
        while (Stopwatch.GetTimestamp() < until);
        return false;
    }

    // Until when to look this time; 0 for not at all.
    public long LookUntil()
    {
        // Where the peer runs counts, and not how many processors this process may use: it may be bound to one, and the peer to another.
        if (_ticks == 0 || (PeerProcessor < 0 ? Environment.ProcessorCount == 1 : Posix.SchedGetcpu() == PeerProcessor)) return 0;
        long now = Stopwatch.GetTimestamp(), until = _usualUntil = now + _ticks;
        if (_failures < FailuresUntilStop) until = Math.Max(until, Volatile.Read(ref _peerWokenAt) + (Longer * _ticks));
        else
        {
            if (++_skipped < _stop) return 0;
            _skipped = 0;
            _stop = Math.Min(_stop * 2, LongestStop);
            _failures = FailuresUntilStop - 1;
            until = now + (Longer * _ticks);
        }
        _isLong = until != _usualUntil;
        return until;
    }

    // Until when to look for the rest of something that has begun: the peer is at it.
    public long LookUntilRest() => _ticks == 0 || PeerProcessor == Posix.SchedGetcpu() ? 0 : Stopwatch.GetTimestamp() + _ticks;

    public void Succeeded()
    {
        if (_isLong && Stopwatch.GetTimestamp() > _usualUntil)
        {
            // One more: the peer is awake now.
            _failures = FailuresUntilStop - 1;
            return;
        }
        _failures = 0;
        _stop = FirstStop;
    }

    public void Failed() => _failures++;
}
