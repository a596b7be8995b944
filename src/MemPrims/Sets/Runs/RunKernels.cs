using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Counts, decodes and searches runs. Sides with a similar number of runs meet in vectors (<see cref="RunOverlap"/>). If one side is much
/// shorter, each of its runs is looked up in the other. Unsorted runs give a wrong count, and the work still ends.
/// </summary>
internal static class RunKernels
{
    /// <summary>
    /// From this ratio on, a search for each run of the shorter side is faster than going through both (Sets/shapes, runs against few; not
    /// swept since runs meet in vectors).
    /// </summary>
    private const int Uneven = 8;

    /// <summary>
    /// Up to so many runs on a side are each compared with all runs of the other side. They are fewer than half a vector (reasoned, not
    /// swept).
    /// </summary>
    private const int FewRuns = 4;

    /// <summary>
    /// Up to so many runs are all compared and no search is made, where vectors are more than a loop: sixteen loads take less than seven
    /// steps of a search (reasoned, not swept).
    /// </summary>
    private static int MostCounted => Vector.IsHardwareAccelerated ? 128 : 8;

    /// <summary>
    /// Keeps the start of runs that were read as integers. The number of ids that follow is in the upper half.
    /// </summary>
    private static Vector<uint> StartMask => new(ushort.MaxValue);

    /// <summary>The ids in all runs.</summary>
    public static int Length(ReadOnlySpan<Run> runs)
    {
        int length = 0;
        foreach (Run run in runs) length += run.LengthMinusOne + 1;
        return length;
    }

    /// <summary>Writes the ids of the runs with <paramref name="high"/> above them, as far as the destination takes them.</summary>
    public static void Decode<T>(ReadOnlySpan<Run> runs, T high, Span<T> destination) where T : unmanaged, IBinaryInteger<T>
    {
        Vector<T> step = Vector.CreateSequence(T.Zero, T.One), width = new(T.CreateTruncating(Vector<T>.Count));
        ref T to = ref MemoryMarshal.GetReference(destination);
        int at = 0, last = destination.Length - Vector<T>.Count;
        foreach (Run run in runs)
        {
            int end = Math.Min(at + run.LengthMinusOne + 1, destination.Length);
            T id = high | T.CreateTruncating(run.Start);
            Vector<T> ids = new Vector<T>(id) + step;
            int from = at;
            // Whole vectors are stored. The next run overwrites what lies behind this one.
            for (; from < end && from <= last; from += Vector<T>.Count, ids += width) ids.StoreUnsafe(ref to, (nuint)from);
            for (id += T.CreateTruncating(from - at); from < end; from++, id++) Unsafe.Add(ref to, from) = id;
            at = end;
        }
    }

    /// <summary>The last run that starts at or before <paramref name="id"/>; -1 when there is none.</summary>
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

    /// <summary>How many ids are in runs of both.</summary>
    public static int Count(ReadOnlySpan<Run> a, ReadOnlySpan<Run> b)
    {
        ReadOnlySpan<Run> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        if (few.Length <= FewRuns || (long)few.Length * Uneven <= many.Length) return CountFew(few, many);
        return many.Length > RunOverlap.MostRuns || !Vector.IsHardwareAccelerated ? CountWalk(few, many) : RunOverlap.Count(many, few);
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

    /// <summary>
    /// How many ids one run shares with others. All of them are compared, a vector at a time.
    /// </summary>
    private static int CountOne(Run run, ReadOnlySpan<Run> others)
    {
        ref uint first = ref Unsafe.As<Run, uint>(ref MemoryMarshal.GetReference(others));
        Vector<int> start = new(run.Start), end = new(run.End), shared = Vector<int>.Zero;
        int at = 0, count = 0;
        for (; Vector.IsHardwareAccelerated && at <= others.Length - Vector<uint>.Count; at += Vector<uint>.Count)
        {
            Vector<uint> other = Vector.LoadUnsafe(ref first, (nuint)at);
            Vector<int> starts = Vector.AsVectorInt32(other & StartMask), ends = starts + Vector.AsVectorInt32(other >>> 16);
            shared += Vector.Max(Vector.Min(end, ends) - Vector.Max(start, starts) + Vector<int>.One, Vector<int>.Zero);
        }
        for (; at < others.Length; at++) count += Shared(run, others[at]);
        return Vector.Sum(shared) + count;
    }

    private static int CountWalk(ReadOnlySpan<Run> a, ReadOnlySpan<Run> b)
    {
        ref Run first = ref MemoryMarshal.GetReference(a);
        ref Run second = ref MemoryMarshal.GetReference(b);
        nint i = 0, j = 0;
        int count = 0;
        while (i < a.Length && j < b.Length)
        {
            Run x = Unsafe.Add(ref first, i), y = Unsafe.Add(ref second, j);
            int endX = x.Start + x.LengthMinusOne, endY = y.Start + y.LengthMinusOne;
            count += Shared(x, y);
            i += endX <= endY ? 1 : 0;
            j += endY <= endX ? 1 : 0;
        }
        return count;
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
