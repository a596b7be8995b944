namespace MemPrims.Benchmarks.Codecs;

/// <summary>
/// The values that the codecs are measured with. There are 65,536 of each kind, shuffled: the branch predictor learns a few thousand by
/// heart.
/// </summary>
public static class Numbers
{
    public const int Count = 65_536;

    public const string Realistic = "realistic", OneByte = "one byte", Uniform32 = "uniform 32-bit", Uniform64 = "uniform 64-bit",
        TwoLengths = "1–2 bytes", FiveLengths = "1–5 bytes";

    /// <summary>
    /// What record headers and offsets hold: 40 % 1, 22 % 4, 16 % 3, 10 % 0, 4 % from 5 to 254, 8 % from 255 to 100,000.
    /// </summary>
    public static ulong[] Of(string kind)
    {
        Random random = new(7);
        ulong[] values = new ulong[Count];
        for (int i = 0; i < Count; i++)
            values[i] = kind switch
            {
                Realistic => RealisticAt((i + 0.5) / Count, random),
                OneByte => (ulong)random.Next(128),
                Uniform32 => (uint)random.NextInt64(1L << 32),
                Uniform64 => (ulong)random.NextInt64(long.MinValue, long.MaxValue),
                TwoLengths => OfLength(random.Next(1, 3), random),
                FiveLengths => OfLength(random.Next(1, 6), random),
                _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "No such kind of number."),
            };
        random.Shuffle(values);
        return values;
    }

    public static uint[] Of32(string kind) => [.. Of(kind).Select(v => checked((uint)v))];

    private static ulong OfLength(int bytes, Random random) =>
        (ulong)random.NextInt64(bytes == 1 ? 0 : 1L << 7 * bytes - 7, 1L << 7 * bytes);

    private static ulong RealisticAt(double share, Random random) => share switch
    {
        < 0.40 => 1,
        < 0.62 => 4,
        < 0.78 => 3,
        < 0.88 => 0,
        < 0.92 => (ulong)random.Next(5, 255),
        _ => (ulong)random.Next(255, 100_001),
    };
}
