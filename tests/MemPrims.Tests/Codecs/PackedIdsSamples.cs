namespace MemPrims.Tests.Codecs;

// Lists of ids: every width, shift and number of gaps at a boundary, with exceptions and without.
internal static class PackedIdsSamples
{
    private static readonly int[] s_counts = [1, 2, 3, 8, 9, 10, 17, 100, 256, 257, 258, 259, 300, 513, 514, 515, 1200];

    public static IEnumerable<ulong[]> Lists(Random random)
    {
        yield return [];
        for (int bits = 0; bits <= 64; bits++)
            foreach (int exceptions in (int[])[0, 2, 20])
            {
                int shift = random.Next(3) == 0 ? random.Next(64 - bits + 1) : 0, count = s_counts[random.Next(s_counts.Length)];
                yield return Of(count, bits, exceptions, shift, random);
                yield return Of(random.Next(1, 700), bits, exceptions, shift: 0, random);
            }
        foreach (int count in s_counts)
            foreach (int bits in (int[])[0, 1, 4, 10, 16, 17, 25, 26]) yield return Of(count, bits, exceptions: 0, shift: 0, random);
        // Gaps that come in stretches of one width.
        yield return [.. Enumerable.Range(0, 2000).Select(i => (ulong)i * 3 + (ulong)(i / 300) * 1_000_000_007)];
    }

    // Gaps of so many bits, or of up to three, with the wide ones as exceptions. It ends where the ids do.
    private static ulong[] Of(int count, int bits, int exceptions, int shift, Random random)
    {
        List<ulong> ids = [];
        ulong id = random.Next(3) == 0 ? 0 : (ulong)random.NextInt64() >> (random.Next(64) | shift);
        for (int i = 0; i < count; i++)
        {
            ids.Add(id);
            int width = exceptions > 0 && i % 256 % (256 / exceptions) != 7 ? Math.Min(bits, 3) : bits;
            ulong less = width == 0 ? 0 : (ulong)random.NextInt64(long.MinValue, long.MaxValue) >> (64 - width);
            if (random.Next(50) == 0 && width > 0) less = ulong.MaxValue >> (64 - width);
            if (less >= (ulong.MaxValue - id) >> shift) break;
            id += (less + 1) << shift;
        }
        return [.. ids];
    }
}
