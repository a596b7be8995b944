using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// Makes containers of the kind that takes the fewest bytes in the portable format. Runs are taken only where they save bytes.
/// </summary>
internal static class ContainerBuild
{
    /// <summary>Of ids in order.</summary>
    public static Container OfIds(ReadOnlySpan<ushort> ids)
    {
        int runs = 1;
        for (int i = 1; i < ids.Length; i++) runs += ids[i] != ids[i - 1] + 1 ? 1 : 0;
        if (RunsAreSmaller(runs, ids.Length)) return Container.OfRuns(RunsOf(ids, runs));
        if (ids.Length <= Container.MaxArray) return Container.OfIds(ids);
        Container bitmap = new() { Data = new byte[Bitmap.Bytes], Kind = ContainerKind.Bitmap };
        ref ulong words = ref bitmap.View(ids.Length).Words;
        foreach (ushort id in ids) Unsafe.Add(ref words, id >> 6) |= 1ul << id;
        return bitmap;
    }

    /// <summary>Of all ids between two.</summary>
    public static Container OfRun(int start, int end) =>
        RunsAreSmaller(1, end - start + 1) ? Container.OfRuns([new(start, end)])
            : Container.OfIds([.. Enumerable.Range(start, end - start + 1).Select(id => (ushort)id)]);

    /// <summary>Of bits, <paramref name="cardinality"/> of which are set; as runs only where <paramref name="tryRuns"/> says so.</summary>
    public static Container OfWords(ref ulong words, int cardinality, bool tryRuns)
    {
        if (tryRuns)
        {
            int runs = BitmapRuns.Count(ref words);
            if (RunsAreSmaller(runs, cardinality)) return Container.OfRuns(RunsOf(ref words, runs));
        }
        if (cardinality > Container.MaxArray) return Container.OfWords(ref words);
        ushort[] ids = new ushort[cardinality];
        BitmapDecode.Write(ref words, (ushort)0, ids.AsSpan());
        return Container.OfIds(ids);
    }

    /// <summary>Of sorted runs that may touch one another.</summary>
    public static Container OfRuns(ReadOnlySpan<Run> runs, int cardinality)
    {
        if (RunsAreSmaller(runs.Length, cardinality)) return Container.OfRuns(runs);
        Container all = Container.OfRuns(runs);
        Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
        Bitmap.Expand(ref words[0], all.View(cardinality));
        return OfWords(ref words[0], cardinality, tryRuns: true);
    }

    /// <summary>The same ids in the smallest kind.</summary>
    public static Container Smallest(in ContainerView view)
    {
        if (view.Kind == ContainerKind.Array) return OfIds(view.Ids);
        Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
        Bitmap.Expand(ref words[0], view);
        return OfWords(ref words[0], view.Cardinality, tryRuns: true);
    }

    /// <summary>Whether runs take fewer bytes than an array or a bitmap.</summary>
    public static bool RunsAreSmaller(int runs, int cardinality) =>
        sizeof(ushort) + runs * Unsafe.SizeOf<Run>() < Math.Min(cardinality * sizeof(ushort), Bitmap.Bytes);

    private static Run[] RunsOf(ReadOnlySpan<ushort> ids, int count)
    {
        Run[] runs = new Run[count];
        for (int i = 0, start = 0; i < count; i++)
        {
            int end = start;
            while (end + 1 < ids.Length && ids[end + 1] == ids[end] + 1) end++;
            runs[i] = new(ids[start], ids[end]);
            start = end + 1;
        }
        return runs;
    }

    private static Run[] RunsOf(ref ulong words, int count)
    {
        Run[] runs = new Run[count];
        BitmapRuns.Extract(ref words, runs);
        return runs;
    }
}

/// <summary>Checks that the bytes of a container agree with its head.</summary>
internal static class ContainerCheck
{
    /// <summary>Throws when they are not: ids and runs out of order, or not as many ids as the head says.</summary>
    public static void Contents(in ContainerView container, int index, long offset)
    {
        switch (container.Kind)
        {
            case ContainerKind.Array:
                int wrong = SortedKernels.FirstDisorder(container.Ids);
                if (wrong != container.Count)
                    throw new IdSetDamagedException(
                        offset + wrong * sizeof(ushort),
                        $"In container {index} the id at position {wrong} is not above the one before it");
                break;
            case ContainerKind.Run:
                CheckRuns(container.Runs, index, offset + sizeof(ushort));
                break;
        }
        Cardinality(container, index, offset);
    }

    /// <summary>Throws when the ids that are there are not as many as the head says.</summary>
    public static void Cardinality(in ContainerView container, int index, long offset)
    {
        int count = container.Kind switch
        {
            ContainerKind.Array => container.Count,
            ContainerKind.Bitmap => BitmapCount.Ones(ref container.Words),
            _ => RunKernels.Length(container.Runs),
        };
        if (count != container.Cardinality)
            throw new IdSetDamagedException(offset, $"Container {index} should have {container.Cardinality} ids, but has {count}");
    }

    private static void CheckRuns(ReadOnlySpan<Run> runs, int index, long offset)
    {
        int before = -1;
        for (int i = 0; i < runs.Length; i++)
        {
            if (runs[i].Start <= before)
                throw new IdSetDamagedException(
                    offset + i * 4, $"In container {index} run {i} starts at {runs[i].Start}, but the one before it ends at {before}");
            if (runs[i].Start + runs[i].LengthMinusOne >= Container.Universe)
                throw new IdSetDamagedException(offset + i * 4, $"In container {index} run {i} ends above 65535");
            before = runs[i].End;
        }
    }
}
