namespace MemPrims.Sets;

// Writes a container at a writer's place as the kind that takes the fewest bytes in the portable format. Runs are taken only where they
// save bytes.
internal static class ContainerBuild
{
    // Of ids in order.
    public static void Ids(ReadOnlySpan<ushort> ids, int key, SetWriter to)
    {
        int runs = 1;
        for (int i = 1; i < ids.Length; i++) runs += ids[i] != ids[i - 1] + 1 ? 1 : 0;
        if (RunsAreSmaller(runs, ids.Length))
        {
            ref byte place = ref to.Place();
            Runs(ref place, RunsOf(ids, RunsAt(ref place, runs)), ids.Length, key, to);
        }
        else if (ids.Length <= Container.MaxArray) AddArray(ids, key, to);
        else
        {
            ref ulong words = ref to.Words();
            BitmapFill.Ids(ref words, ids);
            to.AddWords(key, ids.Length);
        }
    }

    // Of all ids between two.
    public static void Interval(int start, int end, int key, SetWriter to)
    {
        ref byte place = ref to.Place();
        Span<Run> run = RunsAt(ref place, 1);
        run[0] = new(start, end);
        Runs(ref place, run, end - start + 1, key, to);
    }

    // Where runs go: after the room for their number.
    public static Span<Run> RunsAt(ref byte place, int count) =>
        MemoryMarshal.CreateSpan(ref Unsafe.As<byte, Run>(ref Unsafe.Add(ref place, sizeof(ushort))), count);

    // Of runs that lie at RunsAt, none of which touch.
    public static void Runs(ref byte place, ReadOnlySpan<Run> runs, int cardinality, int key, SetWriter to)
    {
        if (cardinality == 0) return;
        // The number can be too large only if the bytes change while they are read.
        cardinality = Math.Min(cardinality, Container.Universe);
        if (RunsAreSmaller(runs.Length, cardinality)) AddRuns(ref place, runs.Length, cardinality, key, to);
        else RunsToOthers(runs, cardinality, key, to);
    }

    // Of bits at the writer's words: an array where they are few.
    public static void Bits(ref ulong words, int cardinality, int key, SetWriter to)
    {
        if (cardinality > Container.MaxArray) to.AddWords(key, cardinality);
        else BitsToArray(ref words, cardinality, key, to);
    }

    // The same, or runs where these are smaller.
    public static void Smallest(ref ulong words, int cardinality, int key, SetWriter to)
    {
        if (cardinality == 0) return;
        Span<ulong> edges = stackalloc ulong[Bitmap.WordCount];
        int count = BitmapRuns.Edges(ref words, ref edges[0]);
        if (!RunsAreSmaller(count, cardinality))
        {
            Bits(ref words, cardinality, key, to);
            return;
        }
        ref byte place = ref to.Place();
        BitmapRuns.OfEdges(ref edges[0], RunsAt(ref place, count));
        AddRuns(ref place, count, cardinality, key, to);
    }

    // Whether runs take fewer bytes than an array or a bitmap.
    public static bool RunsAreSmaller(int runs, int cardinality) => Container.SizeOfRuns(runs) < Container.SizeOfIds(cardinality);

    private static void AddRuns(ref byte place, int count, int cardinality, int key, SetWriter to)
    {
        Unsafe.WriteUnaligned(ref place, (ushort)count);
        to.Add(key, cardinality, Container.SizeOfRuns(count), areRuns: true);
    }

    private static void AddArray(ReadOnlySpan<ushort> ids, int key, SetWriter to)
    {
        MemoryMarshal.AsBytes(ids).CopyTo(MemoryMarshal.CreateSpan(ref to.Place(), ids.Length * sizeof(ushort)));
        to.Add(key, ids.Length, ids.Length * sizeof(ushort));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RunsToOthers(ReadOnlySpan<Run> runs, int cardinality, int key, SetWriter to)
    {
        // The runs lie where the container will be written.
        if (cardinality > Container.MaxArray)
        {
            Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
            BitmapRuns.Expand(ref words[0], runs);
            words.CopyTo(MemoryMarshal.CreateSpan(ref to.Words(), Bitmap.WordCount));
            to.AddWords(key, cardinality);
            return;
        }
        Span<ushort> ids = stackalloc ushort[Container.MaxArray];
        ids = ids[..cardinality];
        RunKernels.Decode(runs, 0, ushort.MaxValue, (ushort)0, ids);
        AddArray(ids, key, to);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void BitsToArray(ref ulong words, int cardinality, int key, SetWriter to)
    {
        // The words may lie where the ids will be written.
        Span<ulong> copy = stackalloc ulong[Bitmap.WordCount];
        MemoryMarshal.CreateReadOnlySpan(ref words, Bitmap.WordCount).CopyTo(copy);
        Span<ushort> ids = MemoryMarshal.CreateSpan(ref Unsafe.As<byte, ushort>(ref to.Place()), cardinality + SetWriter.Slack / 4);
        BitmapDecode.Write(ref copy[0], (ushort)0, ids);
        to.Add(key, cardinality, cardinality * sizeof(ushort));
    }

    private static Span<Run> RunsOf(ReadOnlySpan<ushort> ids, Span<Run> runs)
    {
        for (int i = 0, start = 0; i < runs.Length; i++)
        {
            int end = start;
            while (end + 1 < ids.Length && ids[end + 1] == ids[end] + 1) end++;
            runs[i] = new(ids[start], ids[end]);
            start = end + 1;
        }
        return runs;
    }
}

// Checks that the bytes of a container agree with its head.
internal static class ContainerCheck
{
    // Throws when they are not: ids and runs out of order, or not as many ids as the head says.
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

    // Throws when the ids that are there are not as many as the head says.
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
            long at = offset + i * Unsafe.SizeOf<Run>();
            if (runs[i].Start <= before)
                throw new IdSetDamagedException(
                    at, $"In container {index} run {i} starts at {runs[i].Start}, but the one before it ends at {before}");
            if (runs[i].Start + runs[i].LengthMinusOne >= Container.Universe)
                throw new IdSetDamagedException(at, $"In container {index} run {i} ends above 65535");
            before = runs[i].End;
        }
    }
}
