using System.Diagnostics;

namespace MemPrims.Records.Waiting;

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
