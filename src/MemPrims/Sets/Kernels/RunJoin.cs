namespace MemPrims.Sets;

// Joins runs that touch: one ends directly before the next one starts. Other writers make such runs, and CRoaring's own validation refuses
// them. They are read, and joined whenever a set is written.
internal static class RunJoin
{
    // Whether some run starts right after the one before it.
    public static bool Touch(ReadOnlySpan<Run> runs)
    {
        int touching = 0;
        for (int i = 1; i < runs.Length; i++) touching |= runs[i].Start == runs[i - 1].End + 1 ? 1 : 0;
        return touching != 0;
    }

    // Writes the runs, with those that touch joined, and returns how many are left.
    public static int Join(ReadOnlySpan<Run> runs, Span<Run> joined)
    {
        int count = 0;
        foreach (Run run in runs)
        {
            if (count > 0 && run.Start == joined[count - 1].End + 1) joined[count - 1] = new(joined[count - 1].Start, run.End);
            else joined[count++] = run;
        }
        return count;
    }
}
