namespace MemPrims.Tool.Measure;

// How long the blocks of a case are.
public static class Lengths
{
    // 0 to `longest`, uniform.
    public static Func<Random, int> UpTo(int longest) => random => random.Next(longest + 1);

    // The sizes of the cases that go by size.
    public static readonly int[] Sizes = [20, 40, 80, 150, 200, 300, 400, 600, 1000, 2000, 4000];

    // `longest` and up to a sixth less, uniform: the size is foreseen, its last digits are not.
    public static Func<Random, int> Around(int longest) => random => longest - random.Next(longest / 6 + 1);

    // What Around draws, for a table: 17–20 B.
    public static string NameOfAround(int longest) => $"{longest - longest / 6}–{longest} B";

    public static Func<Random, int> Fixed(int length) => _ => length;

    // The shape that fleets report: nearly all calls under 128 bytes, most of them under 32, a thin tail to MeasuredLongest.
    public static int Measured(Random random) => random.Next(1000) switch
    {
        < 400 => random.Next(0, 17),
        < 750 => random.Next(17, 33),
        < 920 => random.Next(33, 65),
        < 985 => random.Next(65, 129),
        < 995 => random.Next(129, 513),
        _ => random.Next(513, 2049),
    };

    // The longest that Measured draws.
    public const int MeasuredLongest = 2048;
}
