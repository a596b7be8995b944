using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Whether one id is in the runs of a container. Many runs mostly lie evenly: the search begins where the id's value says, and closes in
/// on it from there, so that a search in a set that is not in the cache waits for one line, where halving waits for several.
/// </summary>
internal static class RunSearch
{
    /// <summary>Fewer runs are looked up by <see cref="RunKernels.Before"/>, which counts them in vectors.</summary>
    private const int FewestForGuess = 128;

    public static bool Contains(ReadOnlySpan<Run> runs, int id)
    {
        if (runs.Length >= FewestForGuess) runs = Near(runs, id);
        int at = RunKernels.Before(runs, id);
        return at >= 0 && id <= runs[at].End;
    }

    /// <summary>A stretch of the runs that has the last one that starts at or before the id, unless all start behind it.</summary>
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
