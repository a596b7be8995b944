namespace MemPrims.Sets;

// Counts, decodes, joins and searches runs. Sides with a similar number of runs meet in vectors (RunOverlap). If one side is much
// shorter, each of its runs is looked up in the other. Unsorted runs give a wrong count, and the work still ends.
internal static class RunKernels
{
    // From this ratio on, a search for each run of the shorter side is faster than going through both (Sets/shapes, runs against few; not
    // swept since runs meet in vectors).
    private const int Uneven = 8;

    // Up to so many runs are each compared with all runs of a side that is short too. With 256 bits that takes 0.68 of meeting in vectors
    // for 2 runs and 8, 0.93 for 4 and 8, 1.25 for 4 and 16 (Zen 4; Sets/thresholds, few runs).
    private const int FewRuns = 4, ShortSide = 8;

    // Fewer runs are left to Before, which compares them in vectors.
    private const int FewestForGuess = 128;

    // Up to so many runs are all compared and no search is made, where vectors are more than a loop. For 128 that takes 0.85 of halving
    // down to eight, for 256 0.87, and as long as halving once (Zen 4; Sets/thresholds, one of runs).
    private static int MostCounted => Vector.IsHardwareAccelerated ? 128 : 8;

    // Keeps the start of runs that were read as integers. The number of ids that follow is in the upper half.
    private static Vector<uint> StartMask => new(ushort.MaxValue);

    // Whether some run starts right after the one before it. Other writers make such runs, and CRoaring's own validation refuses them.
    // They are read, and joined whenever a set is written.
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

    // The ids in all runs.
    public static int Length(ReadOnlySpan<Run> runs)
    {
        int length = 0;
        foreach (Run run in runs) length += run.LengthMinusOne + 1;
        return length;
    }

    // Writes the ids of the runs from `first` to `last` with `high` above them, as far as the destination takes them, and returns how
    // many. What lies after them in the destination may be overwritten.
    public static int Decode<T>(ReadOnlySpan<Run> runs, int first, int last, T high, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
    {
        Vector<T> step = Vector.CreateSequence(T.Zero, T.One), width = new(T.CreateTruncating(Vector<T>.Count));
        ref T to = ref MemoryMarshal.GetReference(destination);
        int at = 0, lastVector = destination.Length - Vector<T>.Count;
        if (first > 0) runs = runs[Math.Max(0, Before(runs, first))..];
        foreach (Run run in runs)
        {
            if (run.Start > last | at == destination.Length) break;
            int start = Math.Max(run.Start, first), length = Math.Max(Math.Min(run.End, last) - start + 1, 0);
            int end = Math.Min(at + length, destination.Length);
            T id = high | T.CreateTruncating(start);
            Vector<T> ids = new Vector<T>(id) + step;
            int from = at;
            // Whole vectors are stored. The next run overwrites what lies after this one.
            for (; from < end && from <= lastVector; from += Vector<T>.Count, ids += width) ids.StoreUnsafe(ref to, (nuint)from);
            for (id += T.CreateTruncating(from - at); from < end; from++, id++) Unsafe.Add(ref to, from) = id;
            at = end;
        }
        return at;
    }

    // The last run that starts at or before `id`; -1 when there is none.
    public static int Before(ReadOnlySpan<Run> runs, int id)
    {
        ref uint first = ref Unsafe.As<Run, uint>(ref MemoryMarshal.GetReference(runs));
        int at = 0, size = runs.Length;
        // Halve until a few vectors are left, then count in those: their loads do not wait for one another.
        while (size > MostCounted)
        {
            int half = size >> 1;
            at += (int)SortedSearch.Step((ushort)Unsafe.Add(ref first, at + half) <= id, half);
            size -= half;
        }
        int end = at + size, before = at - 1;
        Vector<uint> above = Vector<uint>.Zero, wanted = new((uint)id);
        for (; Vector.IsHardwareAccelerated && at <= end - Vector<uint>.Count; at += Vector<uint>.Count)
            above -= Vector.LessThanOrEqual(Vector.LoadUnsafe(ref first, (nuint)at) & StartMask, wanted);
        for (; at < end; at++) before += (ushort)Unsafe.Add(ref first, at) <= id ? 1 : 0;
        return before + (int)Vector.Sum(above);
    }

    // Whether one id is in the runs. Many runs are mostly spread evenly. So the search begins where the value of the id says, in a window
    // of 64 runs. In memory that is not in the cache it then waits for one cache line, where a binary search waits for several.
    public static bool Contains(ReadOnlySpan<Run> runs, int id)
    {
        if (runs.Length >= FewestForGuess) runs = Near(runs, id);
        int at = Before(runs, id);
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

    // How many ids are in runs of both.
    public static int Count(ReadOnlySpan<Run> a, ReadOnlySpan<Run> b)
    {
        ReadOnlySpan<Run> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        if (many.Length == 1 && few.Length == 1) return Shared(few[0], many[0]);
        if (MergeLanes512.IsSupported && many.Length <= Vector512<int>.Count) return CountInVector(few, many);
        bool isShort = few.Length <= FewRuns && many.Length <= ShortSide;
        if (isShort || (long)few.Length * Uneven <= many.Length) return CountFew(few, many);
        return many.Length > RunOverlap.MostRuns || !Vector.IsHardwareAccelerated ? CountByBits(few, many) : RunOverlap.Count(many, few);
    }

    // At most sixteen runs are loaded once, by a mask. Each run of the other side meets all of them, and only their number is branched on.
    private static unsafe int CountInVector(ReadOnlySpan<Run> few, ReadOnlySpan<Run> many)
    {
        Vector512<uint> lanes = Vector512.LessThan(Vector512<uint>.Indices, Vector512.Create((uint)many.Length)), runs;
        fixed (Run* first = many) runs = Avx512F.MaskLoad((uint*)first, lanes, Vector512<uint>.Zero);
        // A lane without a run begins after the container.
        Vector512<int> starts = (runs & Vector512.Create((uint)ushort.MaxValue) | ~lanes & Vector512.Create((uint)Container.Universe * 4))
            .AsInt32(), ends = starts + (runs >>> 16).AsInt32() + Vector512<int>.One, shared = Vector512<int>.Zero;
        foreach (Run run in few)
        {
            Vector512<int> end = Vector512.Create(run.Start + run.LengthMinusOne + 1);
            Vector512<int> overlap = Vector512.Min(end, ends) - Vector512.Max(Vector512.Create((int)run.Start), starts);
            shared += Vector512.Max(overlap, Vector512<int>.Zero);
        }
        return Vector512.Sum(shared);
    }

    private static int CountFew(ReadOnlySpan<Run> few, ReadOnlySpan<Run> many)
    {
        int count = 0;
        foreach (Run run in few)
        {
            ReadOnlySpan<Run> near = many;
            if (many.Length > MostCounted)
            {
                // The runs that start inside this one, and the one before them, which may reach into it.
                int from = Math.Max(0, Before(many, run.Start)), to = Before(many, run.End) + 1;
                near = many[from..Math.Max(from, to)];
            }
            count += CountOne(run, near);
        }
        return count;
    }

    // How many ids one run shares with others. All of them are compared, a vector at a time.
    private static int CountOne(Run run, ReadOnlySpan<Run> others)
    {
        if (others.Length < Vector<uint>.Count) return CountOneByOne(run, others);
        ref uint first = ref Unsafe.As<Run, uint>(ref MemoryMarshal.GetReference(others));
        Vector<int> start = new(run.Start), end = new(run.End), shared = Vector<int>.Zero;
        int at = 0;
        for (; Vector.IsHardwareAccelerated && at <= others.Length - Vector<uint>.Count; at += Vector<uint>.Count)
        {
            Vector<uint> other = Vector.LoadUnsafe(ref first, (nuint)at);
            Vector<int> starts = Vector.AsVectorInt32(other & StartMask), ends = starts + Vector.AsVectorInt32(other >>> 16);
            shared += Vector.Max(Vector.Min(end, ends) - Vector.Max(start, starts) + Vector<int>.One, Vector<int>.Zero);
        }
        return Vector.Sum(shared) + CountOneByOne(run, others[at..]);
    }

    private static int CountOneByOne(Run run, ReadOnlySpan<Run> others)
    {
        int count = 0;
        foreach (Run other in others) count += Shared(run, other);
        return count;
    }

    // Writes the runs that both sides share and returns how many, at most as many as both have together; and how many ids are in them.
    public static int Intersect(ReadOnlySpan<Run> a, ReadOnlySpan<Run> b, ref Run to, out int ids)
    {
        int i = 0, j = 0, written = 0, length = 0;
        while (i < a.Length && j < b.Length)
        {
            Run x = a[i], y = b[j];
            int endX = x.End, endY = y.End, start = Max(x.Start, y.Start), shared = Min(endX, endY) - start + 1, none = shared - 1 >> 31;
            Unsafe.Add(ref to, written) = new(start, start + shared - 1);
            written += 1 + none;
            length += shared & ~none;
            i += endX <= endY ? 1 : 0;
            j += endY <= endX ? 1 : 0;
        }
        ids = length;
        return written;
    }

    // Of more runs than a writer makes, or without vectors.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CountByBits(ReadOnlySpan<Run> few, ReadOnlySpan<Run> many)
    {
        Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
        BitmapRuns.Expand(ref words[0], many);
        return BitmapRuns.CountIn(ref words[0], few, Container.Universe);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Shared(Run x, Run y)
    {
        int shared = Min(x.Start + x.LengthMinusOne, y.Start + y.LengthMinusOne) - Max(x.Start, y.Start) + 1;
        return shared & ~(shared >> 31);
    }

    // Math.Max became a branch here. This form does not.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Max(int x, int y) => x - ((x - y) & ((x - y) >> 31));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Min(int x, int y) => y + ((x - y) & ((x - y) >> 31));
}
