namespace MemPrims.Sets;

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
