using System.Diagnostics;

namespace MemPrims.Channels.Native;

/// <summary>
/// Decides whether a receive looks again and again before it sleeps, and for how long. It does not where sender and receiver share a
/// processor, which every header tells: the sender cannot run meanwhile. After three failures in a row it stops for some receives, then
/// tries once; each stop lasts twice as many receives as the one before, up to 64.
/// </summary>
/// <remarks>
/// A sleeper needs 20 to 50 µs to wake. Two ends that have both fallen asleep would stay so for ever by looking for 20 µs: each answers
/// later than the other looks. So a look lasts five times as long after a send that woke the peer, and in a try after a stop. One such
/// look that succeeds finds the peer awake and looking itself.
/// </remarks>
internal struct Spinner(int microseconds)
{
    private const int FailuresUntilStop = 3, FirstStop = 8, LongestStop = 64, Longer = 5;

    private readonly long _ticks = microseconds * Stopwatch.Frequency / 1_000_000;
    private int _failures, _stop = FirstStop, _skipped;
    private long _peerWokenAt;

    /// <summary>Where the peer ran when it sent last; -1 while that is unknown.</summary>
    public int PeerProcessor { get; set; } = -1;

    public readonly long Ticks => _ticks;

    /// <summary>A send found the peer asleep. Called by senders while another thread may receive.</summary>
    public void WokePeer()
    {
        if (_ticks != 0) Volatile.Write(ref _peerWokenAt, Stopwatch.GetTimestamp());
    }

    /// <summary>Until when to look this time; 0 for not at all.</summary>
    public long LookUntil()
    {
        // Where the peer runs counts, and not how many processors this process may use: it may be bound to one, and the peer to another.
        if (_ticks == 0 || (PeerProcessor < 0 ? Environment.ProcessorCount == 1 : Posix.CurrentProcessor() == PeerProcessor)) return 0;
        long now = Stopwatch.GetTimestamp();
        if (_failures < FailuresUntilStop) return Math.Max(now + _ticks, Volatile.Read(ref _peerWokenAt) + (Longer * _ticks));
        if (++_skipped < _stop) return 0;
        _skipped = 0;
        _stop = Math.Min(_stop * 2, LongestStop);
        _failures = FailuresUntilStop - 1;
        return now + (Longer * _ticks);
    }

    public void Succeeded()
    {
        _failures = 0;
        _stop = FirstStop;
    }

    public void Failed() => _failures++;
}
