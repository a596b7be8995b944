namespace MemPrims.Tests.Sets;

// Sorted ids of many shapes.
internal static class SampleIds
{
    // So many ids, of which about `density` of their range is there.
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

    // The lower halves of a container's ids, in every shape and at every limit that decides about its kind.
    public static IEnumerable<(string Name, int[] Ids)> Containers()
    {
        Random random = Seeds.Random();
        yield return ("one", [7]);
        yield return ("the last one", [65535]);
        yield return ("few", Pick(random, 5));
        yield return ("some", Pick(random, 700));
        foreach (int count in new[] { 4095, 4096, 4097, 65535 }) yield return ($"{count} scattered", Pick(random, count));
        yield return ("all", [.. Enumerable.Range(0, 65536)]);
        yield return ("dense", Pick(random, 30_000));
        yield return ("4096 in a row", [.. Enumerable.Range(1000, 4096)]);
        yield return ("4097 in a row", [.. Enumerable.Range(61439, 4097)]);
        yield return ("few runs", Runs(random, 12, 3000, 2000));
        yield return ("many short runs", Runs(random, 2000, 12, 20));
        yield return ("runs and gaps of one", [.. Enumerable.Range(0, 65536).Where(id => id % 40 != 39)]);
        yield return ("every second", [.. Enumerable.Range(0, 32768).Select(id => id * 2)]);
    }

    private static int[] Pick(Random random, int count)
    {
        int[] all = [.. Enumerable.Range(0, 65536)];
        random.Shuffle(all);
        return [.. all.Take(count).Order()];
    }

    private static int[] Runs(Random random, int count, int longest, int widest)
    {
        List<int> ids = [];
        for (int run = 0, at = random.Next(widest); run < count; run++, at += 1 + random.Next(widest))
            for (int end = at + 1 + random.Next(longest); at < end; at++) ids.Add(at);
        return [.. ids.TakeWhile(id => id < 65536)];
    }
}
