using System.Diagnostics;

namespace MemPrims.Channels.Native;

/// <summary>
/// Decides whether looking again is worth it before sleeping. It is not where sender and receiver share a processor: the sender cannot run
/// meanwhile.
/// Every header tells where its sender ran. Where that is not known, or the peer is slow, three failures in a row stop the spinning, and
/// every
/// stop lasts twice as many receives as the one before, up to 1,024.
/// </summary>
internal struct Spinner(int microseconds)
{
    private const int FailuresUntilStop = 3, FirstStop = 8, LongestStop = 1024;

    private readonly long _ticks = microseconds * Stopwatch.Frequency / 1_000_000;
    private int _failures, _stop = FirstStop, _skipped;

    /// <summary>Where the peer ran when it sent last; -1 while that is unknown.</summary>
    public int PeerProcessor { get; set; } = -1;

    public long Ticks => _ticks;

    /// <summary>Whether to spin this time.</summary>
    public bool Wanted()
    {
        if (_ticks == 0 || Environment.ProcessorCount == 1 || Posix.CurrentProcessor() == PeerProcessor) return false;
        if (_failures < FailuresUntilStop) return true;
        if (++_skipped < _stop) return false;
        _skipped = 0;
        _stop = Math.Min(_stop * 2, LongestStop);
        _failures = FailuresUntilStop - 1;
        return true;
    }

    public void Succeeded()
    {
        _failures = 0;
        _stop = FirstStop;
    }

    public void Failed() => _failures++;
}
