namespace MemPrims.Tool.Measure;

/// <summary>How long the blocks of a case are.</summary>
public static class Lengths
{
    /// <summary>0 to <paramref name="longest"/>, uniform.</summary>
    public static Func<Random, int> UpTo(int longest) => random => random.Next(longest + 1);

    /// <summary>The sizes of the cases that go by size.</summary>
    public static readonly int[] Sizes = [20, 40, 80, 150, 200, 300, 400, 600, 1000, 2000, 4000];

    /// <summary><paramref name="longest"/> and up to a sixth less, uniform: the size is foreseen, its last digits are not.</summary>
    public static Func<Random, int> Around(int longest) => random => longest - random.Next(longest / 6 + 1);

    /// <summary>What <see cref="Around"/> draws, for a table: 17–20 B.</summary>
    public static string NameOfAround(int longest) => $"{longest - longest / 6}–{longest} B";

    /// <summary>Always <paramref name="length"/>.</summary>
    public static Func<Random, int> Fixed(int length) => _ => length;

    /// <summary>The shape that fleets report: nearly all calls under 128 bytes, most of them under 32, a thin tail to
    /// <see cref="MeasuredLongest"/>.</summary>
    public static int Measured(Random random) => random.Next(1000) switch
    {
        < 400 => random.Next(0, 17),
        < 750 => random.Next(17, 33),
        < 920 => random.Next(33, 65),
        < 985 => random.Next(65, 129),
        < 995 => random.Next(129, 513),
        _ => random.Next(513, 2049),
    };

    /// <summary>The longest that <see cref="Measured"/> draws.</summary>
    public const int MeasuredLongest = 2048;
}
