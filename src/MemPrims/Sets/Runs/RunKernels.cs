using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Runs against ids, bits and other runs. Alike in number, runs meet in vectors (<see cref="RunOverlap"/>), runs and ids are walked
/// together without a branch that depends on them; where one side is much shorter, each of its members is looked up in the other.
/// Unsorted runs give a wrong count, and an end all the same.
/// </summary>
internal static class RunKernels
{
    /// <summary>
    /// From this ratio on a search per member of the short side beats the walk (Sets/shapes, runs against few; against vectors not
    /// swept).
    /// </summary>
    private const int Uneven = 8;

    /// <summary>
    /// So many runs on a side are met one by one with all of the other's: below half a vector of 16-bit lanes (reasoned, not swept).
    /// </summary>
    private const int FewRuns = 4;

    /// <summary>
    /// So many runs are looked at without a search, where vectors are more than a loop: sixteen loads for seven steps (reasoned, not
    /// swept).
    /// </summary>
    private static int MostCounted => Vector.IsHardwareAccelerated ? 128 : 8;

    /// <summary>Leaves the start of runs that are read as integers. How many ids follow it is in the upper half.</summary>
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
            // Whole vectors: what one writes behind the run, the next run writes over.
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
        // Down to some vectors, which are counted: their loads do not wait for one another.
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
                // Those that start inside the run, and the one before them, which may reach into it.
                int from = Math.Max(0, Before(many, run.Start)), to = Before(many, run.End) + 1;
                near = many[from..Math.Max(from, to)];
            }
            count += CountOne(run, near);
        }
        return count;
    }

    /// <summary>How many ids a run shares with others: all of them are looked at, a vector at a time.</summary>
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

    // Without a branch, which Math.Max became here.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Max(int x, int y) => x - ((x - y) & ((x - y) >> 31));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Min(int x, int y) => y + ((x - y) & ((x - y) >> 31));
}
