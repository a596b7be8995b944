namespace MemPrims.Benchmarks.Sets;

/// <summary>Sorted ids for the benchmarks.</summary>
internal static class IdSamples
{
    /// <summary>So many ids, each as likely as any other.</summary>
    public static uint[] Uniform(int count, long universe, int seed)
    {
        Random random = new(seed);
        HashSet<uint> ids = new(count);
        while (ids.Count < count) ids.Add((uint)random.NextInt64(universe));
        return Sorted(ids);
    }

    /// <summary>So many ids in stretches of up to 200 without a gap, as documents of one import have them.</summary>
    public static uint[] Clustered(int count, long universe, int seed)
    {
        Random random = new(seed);
        HashSet<uint> ids = new(count);
        while (ids.Count < count)
        {
            uint start = (uint)random.NextInt64(universe);
            for (uint id = start, end = (uint)Math.Min(universe, start + random.Next(1, 200)); id < end
                && ids.Count < count; id++) ids.Add(id);
        }
        return Sorted(ids);
    }

    public static uint[] Range(uint start, int count) => [.. Enumerable.Range(0, count).Select(i => start + (uint)i)];

    private static uint[] Sorted(HashSet<uint> ids)
    {
        uint[] sorted = [.. ids];
        Array.Sort(sorted);
        return sorted;
    }
}
