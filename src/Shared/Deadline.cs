namespace MemPrims.Shared;

// A point in time on the stopwatch, or never.
internal readonly struct Deadline
{
    private readonly long _ticks;

    private Deadline(long ticks) => _ticks = ticks;

    public static Deadline Never => new(long.MaxValue);

    // Zero is past at once; Timeout.InfiniteTimeSpan and whatever is beyond the clock is never.
    public static Deadline After(TimeSpan time)
    {
        if (time == Timeout.InfiniteTimeSpan || time.TotalSeconds > 1e9) return Never;
        if (time < TimeSpan.Zero)
            throw new ArgumentOutOfRangeException(nameof(time), time, "A time to wait is zero, more, or Timeout.InfiniteTimeSpan.");
        return new(Stopwatch.GetTimestamp() + (long)(time.TotalSeconds * Stopwatch.Frequency));
    }

    public bool IsNever => _ticks == long.MaxValue;

    public bool HasPassed => !IsNever && Stopwatch.GetTimestamp() >= _ticks;

    // Whole milliseconds until then, rounded up, and no more than `most`.
    public int Milliseconds(int most)
    {
        if (IsNever) return most;
        double left = (_ticks - Stopwatch.GetTimestamp()) * 1000.0 / Stopwatch.Frequency;
        return left <= 0 ? 0 : (int)Math.Min(most, Math.Ceiling(left));
    }

    // The same for a wait to which -1 is for ever.
    public int MillisecondsLeft => IsNever ? Timeout.Infinite : Milliseconds(int.MaxValue);

    public static Deadline Earlier(Deadline a, Deadline b) => a._ticks < b._ticks ? a : b;
}
