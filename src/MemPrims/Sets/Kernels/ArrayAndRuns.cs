namespace MemPrims.Sets;

// Finds the ids of an array that lie in runs, or those that do not. There are four ways: few runs: their ends are looked up among the ids,
// and the stretches between are copied; few ids: each is looked up in the runs; up to a vector of ids and some runs: one comparison for
// each run; many of both: the runs become a bitmap, in which the ids are looked up.
internal static class ArrayAndRuns
{
    // From this ratio on, each run, or each id, is looked up on the longer side; each run from a lower ratio on where ids are counted
    // only. On Zen 4 the other ways take, with 512 and 256 bits: And with 64 ids a run 1.24, 38 1.0, 32 0.8; count of 32 ids a run 1.5 and
    // 1.3, of 16 0.8 and 0.7; with 4 runs an id 1.4 and 1.5, with 2 0.8 (Sets/thresholds, stretches and each in runs).
    private const int UnevenRuns = 40, FewerRuns = 24, UnevenIds = 4;

    // Up to so many comparisons of 32 ids with a run are faster than a bitmap of the runs.
    private const int MostComparisons = 1024;

    // Up to so many ids and runs, one step for each is faster than a bitmap of the runs.
    private const int MostSteps = 400;

    // So few are gone through in any case: a step takes 1.2 ns, a search 8 (Sets/real data, count).
    private const int MostToWalk = 16;

    // Writes the ids that are wanted and returns how many. The destination takes all of them and a vector more.
    public static int Select<TOperation>(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        if ((long)runs.Length * UnevenRuns <= ids.Length) return SelectStretches<TOperation>(ids, runs, ref to);
        if ((long)ids.Length * UnevenIds <= runs.Length) return SelectEach<TOperation>(ids, runs, ref to);
        if (MergeLanes512.IsSupported && (ids.Length + 31 >> 5) * runs.Length <= MostComparisons)
            return SelectByVector<TOperation>(ids, runs, ref to);
        return SelectByBits<TOperation>(ids, runs, ref to);
    }

    // How many of the ids lie in runs.
    public static int Count(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs)
    {
        if (MergeLanes512.IsSupported && ids.Length <= Vector512<ushort>.Count && runs.Length <= MostToWalk)
            return CountByVector(ids, runs);
        if (ids.Length + runs.Length <= MostToWalk) return CountBySteps(ids, runs);
        if ((long)runs.Length * FewerRuns <= ids.Length) return CountStretches(ids, runs);
        if ((long)ids.Length * UnevenIds <= runs.Length) return CountEach(ids, runs);
        if (MergeLanes512.IsSupported && (ids.Length + 31 >> 5) * runs.Length <= MostComparisons) return CountByVector(ids, runs);
        return ids.Length + runs.Length <= MostSteps ? CountBySteps(ids, runs) : CountByBits(ids, runs);
    }

    private static int CountStretches(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs)
    {
        int count = 0;
        foreach (Run run in runs)
        {
            int below = run.Start == 0 ? 0 : ArraySearch.UpTo(ids, (ushort)(run.Start - 1));
            count += ArraySearch.UpTo(ids, (ushort)run.End) - below;
        }
        return count;
    }

    private static int CountEach(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs)
    {
        int count = 0;
        foreach (ushort id in ids) count += RunKernels.Contains(runs, id) ? 1 : 0;
        return count;
    }

    // Each step moves one side on: past a run that ends before the id, or past the id.
    private static int CountBySteps(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs)
    {
        int i = 0, j = 0, count = 0;
        while (i < ids.Length && j < runs.Length)
        {
            Run run = runs[j];
            int id = ids[i], past = id > run.End ? 1 : 0;
            count += (id >= run.Start ? 1 : 0) & ~past;
            i += past ^ 1;
            j += past;
        }
        return count;
    }

    private static int CountByBits(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs)
    {
        Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
        BitmapRuns.Expand(ref words[0], runs);
        return Bitmap.CountHits(ref words[0], ids);
    }

    private static unsafe int CountByVector(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs)
    {
        int count = 0;
        fixed (ushort* first = ids)
            for (int at = 0; at < ids.Length; at += Vector512<ushort>.Count)
                count += BitOperations.PopCount(Inside(first + at, ids.Length - at, runs, out _,
                    out Vector512<ushort> lanes).ExtractMostSignificantBits() & lanes.ExtractMostSignificantBits());
        return count;
    }

    // Which of up to 32 ids lie in runs. An id lies in a run if it is not below the first id and its distance to it is at most the number
    // of ids that follow. Then the saturated difference of the two is zero.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe Vector512<ushort> Inside(ushort* ids, int count, ReadOnlySpan<Run> runs, out Vector512<ushort> block,
        out Vector512<ushort> lanes)
    {
        lanes = Vector512.LessThan(Vector512<ushort>.Indices, Vector512.Create((ushort)Math.Min(count, Vector512<ushort>.Count)));
        block = Avx512BW.MaskLoad(ids, lanes, Vector512<ushort>.Zero);
        Vector512<ushort> beyond = Vector512<ushort>.AllBitsSet;
        foreach (Run run in runs)
        {
            Vector512<ushort> distance = block - Vector512.Create(run.Start);
            beyond = Vector512.Min(beyond, Vector512.SubtractSaturate(distance, Vector512.Create(run.LengthMinusOne)));
        }
        return Vector512.Equals(beyond, Vector512<ushort>.Zero);
    }

    private static int SelectStretches<TOperation>(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        int done = 0, written = 0;
        foreach (Run run in runs)
        {
            int start = run.Start == 0 ? 0 : Math.Max(ArraySearch.UpTo(ids, (ushort)(run.Start - 1)), done),
                end = Math.Max(ArraySearch.UpTo(ids, (ushort)run.End), start);
            Copy(TOperation.KeepsBoth ? ids[start..end] : ids[done..start], ref to, ref written);
            done = end;
        }
        if (!TOperation.KeepsBoth) Copy(ids[done..], ref to, ref written);
        return written;

        static void Copy(ReadOnlySpan<ushort> stretch, ref ushort to, ref int written)
        {
            stretch.CopyTo(MemoryMarshal.CreateSpan(ref Unsafe.Add(ref to, written), stretch.Length));
            written += stretch.Length;
        }
    }

    private static int SelectEach<TOperation>(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        int written = 0;
        foreach (ushort id in ids)
        {
            Unsafe.Add(ref to, written) = id;
            written += RunKernels.Contains(runs, id) == TOperation.KeepsBoth ? 1 : 0;
        }
        return written;
    }

    private static unsafe int SelectByVector<TOperation>(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        int written = 0;
        fixed (ushort* first = ids, destination = &to)
        {
            for (int at = 0; at < ids.Length; at += Vector512<ushort>.Count)
            {
                Vector512<ushort> inside = Inside(first + at, ids.Length - at, runs, out Vector512<ushort> block,
                    out Vector512<ushort> lanes);
                written += MergeLanes512.Pack(block, lanes & (TOperation.KeepsBoth ? inside : ~inside), destination + written);
            }
        }
        return written;
    }

    private static int SelectByBits<TOperation>(ReadOnlySpan<ushort> ids, ReadOnlySpan<Run> runs, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
        BitmapRuns.Expand(ref words[0], runs);
        return Bitmap.SelectHits<TOperation>(ref words[0], ids, ref to);
    }
}
