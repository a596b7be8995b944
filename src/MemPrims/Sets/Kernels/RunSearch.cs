namespace MemPrims.Sets;

// Whether one id is in the runs of a container. Many runs are mostly spread evenly. So the search begins where the value of the id says,
// and closes in from there. In a set that is not in the cache it then waits for one cache line, where a binary search waits for several.
internal static class RunSearch
{
    // Fewer runs are left to RunKernels.Before, which compares them in vectors.
    private const int FewestForGuess = 128;

    public static bool Contains(ReadOnlySpan<Run> runs, int id)
    {
        if (runs.Length >= FewestForGuess) runs = Near(runs, id);
        int at = RunKernels.Before(runs, id);
        return at >= 0 && id <= runs[at].End;
    }

    // A stretch of the runs. It holds the last run that starts at or before the id, unless all runs start after the id.
    private static ReadOnlySpan<Run> Near(ReadOnlySpan<Run> runs, int id)
    {
        const int window = 64;
        ref Run first = ref MemoryMarshal.GetReference(runs);
        int start = Math.Clamp((id * runs.Length >> 16) - window / 2, 0, runs.Length - window), end = start + window;
        for (int step = window; start > 0 && Unsafe.Add(ref first, start).Start > id; step <<= 1)
            (start, end) = (Math.Max(0, start - step), start);
        for (int step = window; end < runs.Length && Unsafe.Add(ref first, end).Start <= id; step <<= 1)
            (start, end) = (end, Math.Min(runs.Length, end + step));
        return runs[start..end];
    }
}
