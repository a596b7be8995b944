using System.Diagnostics;
using System.Text;

/// <summary>
/// What the programs share: keys, the folder of a process, and a line for each operation: name, tab, ns of the fastest round.
/// </summary>
internal static class Rounds
{
    private const uint Odd = 2_654_435_761;

    /// <summary>Keys with ten digits behind a prefix, each once, in random order.</summary>
    public static byte[][] Keys(int count, string prefix)
    {
        byte[][] keys = [.. Enumerable.Range(0, count).Select(i => Encoding.ASCII.GetBytes($"{prefix}{(uint)i * Odd:D10}-A"))];
        return Shuffled(keys, 1);
    }

    public static T[] Shuffled<T>(T[] items, int seed)
    {
        T[] shuffled = [.. items];
        new Random(seed).Shuffle(shuffled);
        return shuffled;
    }

    /// <summary>The operation sums the bytes that it finds, so that a copy that finds less cannot look fast.</summary>
    public static void Time(string name, int operations, int rounds, Func<long> operation, long expected, Action? before = null)
    {
        double fastest = double.MaxValue;
        for (int round = 0; round < rounds; round++)
        {
            before?.Invoke();
            long from = Stopwatch.GetTimestamp(), sum = operation();
            fastest = Math.Min(fastest, Stopwatch.GetElapsedTime(from).TotalNanoseconds / operations);
            if (sum != expected) throw new InvalidOperationException($"{name}: {sum} bytes of {expected}");
        }
        Console.WriteLine($"{name}\t{fastest:F1}");
    }

    public static void InFolder(Action<string> work)
    {
        string folder = Directory.CreateTempSubdirectory("engine").FullName;
        try
        {
            work(folder);
        }
        finally
        {
            Directory.Delete(folder, true);
        }
    }
}
