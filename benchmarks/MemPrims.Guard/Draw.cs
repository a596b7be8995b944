namespace MemPrims.Guard;

/// <summary>Inputs, from a seed: every process draws the same ones, in the same order.</summary>
internal static class Draw
{
    /// <summary>Keys as engines have them.</summary>
    public static byte[][] Orders(int count) => [.. Enumerable.Range(1, count).Select(id => Text($"orders/{id:0000000}"))];

    public static byte[][] Random16(int count)
    {
        Random random = new(16);
        return [.. Enumerable.Range(0, count).Select(_ =>
        {
            byte[] key = new byte[16];
            random.NextBytes(key);
            return key;
        })];
    }

    /// <summary>In another order, and in that order in memory too.</summary>
    public static byte[][] Shuffled(byte[][] keys)
    {
        keys = [.. keys];
        new Random(7).Shuffle(keys);
        return [.. keys.Select(key => (byte[])key.Clone())];
    }

    /// <summary>Numbers as data has them: half of one byte, few of more than three.</summary>
    public static uint[] Numbers(int count)
    {
        Random random = new(3);
        return [.. Enumerable.Range(0, count).Select(_ => (uint)random.Next(1 << (random.Next(2) == 0 ? 7 : random.Next(8, 28))))];
    }

    /// <summary>Sorted and distinct ids below a limit.</summary>
    public static uint[] Ids(int seed, int count, int below)
    {
        Random random = new(seed);
        SortedSet<uint> ids = [];
        while (ids.Count < count) ids.Add((uint)random.Next(below));
        return [.. ids];
    }

    /// <summary>Sorted ids in stretches of up to 200.</summary>
    public static uint[] Clustered(int seed, int count, int below)
    {
        Random random = new(seed);
        SortedSet<uint> ids = [];
        while (ids.Count < count)
        {
            uint at = (uint)random.Next(below - 200);
            for (int left = random.Next(200); left > 0; left--) ids.Add(at++);
        }
        return [.. ids];
    }

    public static byte[] Text(string text) => System.Text.Encoding.ASCII.GetBytes(text);
}
