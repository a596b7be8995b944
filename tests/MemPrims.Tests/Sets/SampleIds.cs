namespace MemPrims.Tests.Sets;

/// <summary>Sorted ids of many shapes.</summary>
internal static class SampleIds
{
    /// <summary>So many ids, of which about <paramref name="density"/> of their range is there.</summary>
    public static uint[] Random(Random random, int count, double density)
    {
        uint[] ids = new uint[count];
        uint next = (uint)random.Next(40);
        int gap = Math.Max(2, (int)(2 / density));
        for (int i = 0; i < count; i++)
        {
            ids[i] = next;
            next += (uint)(random.NextDouble() < density ? 1 : random.Next(1, gap));
        }
        return ids;
    }
}
