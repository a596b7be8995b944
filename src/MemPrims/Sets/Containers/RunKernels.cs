using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Runs against ids, bits and other runs. Alike in number, both sides are walked together without a branch that depends on them; where one side is
/// much shorter, each of its members is searched in the other. Unsorted runs give a wrong count, and an end all the same.
/// </summary>
internal static class RunKernels
{
    /// <summary>From this ratio on a search per member of the short side beats the walk: Sets/shapes, runs against few.</summary>
    private const int Uneven = 8;

    /// <summary>With fewer runs than this on a side they are walked one by one.</summary>
    private const int FewestForBlocks = 8;

    public static bool Contains(ReadOnlySpan<Run> runs, int id)
    {
        int at = Before(runs, id);
        return at >= 0 && id <= runs[at].End;
    }

    /// <summary>The ids in all runs.</summary>
    public static int Length(ReadOnlySpan<Run> runs)
    {
        int length = 0;
        foreach (Run run in runs) length += run.More + 1;
        return length;
    }

    /// <summary>The last run that starts at or before <paramref name="id"/>; -1 when there is none.</summary>
    public static int Before(ReadOnlySpan<Run> runs, int id)
    {
        ref Run first = ref MemoryMarshal.GetReference(runs);
        nint at = -1, size = runs.Length;
        while (size > 0)
        {
            nint half = (size + 1) >> 1;
            at += SortedSearch.Step(Unsafe.Add(ref first, at + half).Start <= id, half);
            size -= half;
        }
        return (int)at;
    }

    /// <summary>How many of the ids lie in a run.</summary>
    public static int Count(ReadOnlySpan<Run> runs, ReadOnlySpan<ushort> ids)
    {
        int count = 0;
        if ((long)ids.Length * Uneven <= runs.Length)
        {
            foreach (ushort id in ids) count += Contains(runs, id) ? 1 : 0;
            return count;
        }
        if ((long)runs.Length * Uneven <= ids.Length)
        {
            foreach (Run run in runs)
            {
                int below = (int)SortedSearch.LowerBound(ids, run.Start);
                count += (int)CountUpTo(ids, run.End) - below;
            }
            return count;
        }
        return SelectIds(runs, ids, true, default, store: false);
    }

    /// <summary>Writes the ids that lie in a run, or that do not, as <paramref name="wanted"/> says; at most all of them.</summary>
    public static int Select(ReadOnlySpan<Run> runs, ReadOnlySpan<ushort> ids, bool wanted, Span<ushort> destination) =>
        SelectIds(runs, ids, wanted, destination[..ids.Length], store: true);

    /// <summary>How many ids are in runs of both.</summary>
    public static int Count(ReadOnlySpan<Run> a, ReadOnlySpan<Run> b)
    {
        if (IsUneven(a, b)) return CountSearch(a, b);
        int fewer = Math.Min(a.Length, b.Length), more = Math.Max(a.Length, b.Length);
        if (fewer < FewestForBlocks || more > RunOverlap.MostRuns || !Vector.IsHardwareAccelerated) return CountWalk(a, b);
        return a.Length >= b.Length ? RunOverlap.Count(a, b) : RunOverlap.Count(b, a);
    }

    private static int CountSearch(ReadOnlySpan<Run> a, ReadOnlySpan<Run> b)
    {
        if (a.Length > b.Length)
        {
            ReadOnlySpan<Run> longer = a;
            a = b;
            b = longer;
        }
        int count = 0;
        foreach (Run run in a)
        {
            // Those that start inside the run, and the one before them, which may reach into it.
            int from = Math.Max(0, Before(b, run.Start)), to = Before(b, run.End) + 1;
            if (from < to) count += CountWalk(new(in run), b[from..to]);
        }
        return count;
    }

    /// <summary>How many ids have their bit set and lie in a run.</summary>
    public static int Count(ReadOnlySpan<Run> runs, ref ulong words)
    {
        int count = 0;
        foreach (Run run in runs) count += BitmapCount.Range(ref words, run.Start, run.End);
        return count;
    }

    private static nint CountUpTo(ReadOnlySpan<ushort> ids, int id) => id == ushort.MaxValue ? ids.Length : SortedSearch.LowerBound(ids, (ushort)(id + 1));

    private static bool IsUneven(ReadOnlySpan<Run> a, ReadOnlySpan<Run> b) => (long)Math.Min(a.Length, b.Length) * Uneven <= Math.Max(a.Length, b.Length);

    private static int CountWalk(ReadOnlySpan<Run> a, ReadOnlySpan<Run> b)
    {
        ref Run first = ref MemoryMarshal.GetReference(a);
        ref Run second = ref MemoryMarshal.GetReference(b);
        nint i = 0, j = 0;
        int count = 0;
        while (i < a.Length && j < b.Length)
        {
            Run x = Unsafe.Add(ref first, i), y = Unsafe.Add(ref second, j);
            int endX = x.Start + x.More, endY = y.Start + y.More, shared = Less(endX, endY) - More(x.Start, y.Start) + 1;
            count += shared & ~(shared >> 31);
            i += endX <= endY ? 1 : 0;
            j += endY <= endX ? 1 : 0;
        }
        return count;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int SelectIds(ReadOnlySpan<Run> runs, ReadOnlySpan<ushort> ids, bool wanted, Span<ushort> destination, bool store)
    {
        ref Run firstRun = ref MemoryMarshal.GetReference(runs);
        ref ushort firstId = ref MemoryMarshal.GetReference(ids), to = ref MemoryMarshal.GetReference(destination);
        nint i = 0, j = 0, count = 0;
        while (i < ids.Length && j < runs.Length)
        {
            // One of both moves on: past a run that ends before the id, or past the id.
            Run run = Unsafe.Add(ref firstRun, j);
            int id = Unsafe.Add(ref firstId, i), past = id > run.End ? 1 : 0, inside = (id >= run.Start ? 1 : 0) & ~past;
            if (store) Unsafe.Add(ref to, count) = (ushort)id;
            count += wanted ? inside : (inside | past) ^ 1;
            i += past ^ 1;
            j += past;
        }
        if (wanted || !store) return (int)count;
        ReadOnlySpan<ushort> rest = ids[(int)i..];
        rest.CopyTo(destination[(int)count..]);
        return (int)count + rest.Length;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int More(int x, int y) => x - ((x - y) & ((x - y) >> 31));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Less(int x, int y) => y + ((x - y) & ((x - y) >> 31));
}
