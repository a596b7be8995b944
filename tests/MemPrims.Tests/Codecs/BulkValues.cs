namespace MemPrims.Tests.Codecs;

// Numbers for the routines that work on many: each length alone, at its boundaries, and mixtures in which the rare lengths come and go.
internal static class BulkValues
{
    public static IEnumerable<uint[]> Mixtures(int length)
    {
        Random random = Seeds.Random(4);
        foreach (int bits in new[] { 1, 7, 8, 14, 16, 21, 24, 28, 29, 32 })
        {
            yield return Of(length, _ => (uint)((1UL << bits) - 1));
            yield return Of(length, _ => 1u << (bits - 1));
            yield return Of(length, _ => (uint)random.NextInt64(1L << bits));
            yield return Of(length, i => i % 17 == 5 ? (uint)random.NextInt64(1L << bits) : (uint)random.Next(128));
        }
        yield return Of(length, _ => (uint)random.NextInt64(1L << 32) >> random.Next(32));
        for (int count = 0; count < 40; count++) yield return Of(count, i => i % 3 == 0
            ? (uint)random.NextInt64(1L << 32) >> random.Next(32) : (uint)i);
    }

    private static uint[] Of(int length, Func<int, uint> value) => [.. Enumerable.Range(0, length).Select(value)];
}
