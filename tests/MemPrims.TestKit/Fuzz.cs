using System.Diagnostics;

namespace MemPrims.TestKit;

// Runs a target on inputs that a seed draws, for about a second by `dotnet test` and for a minute with MEMPRIMS_LONG=1. A target throws
// where it finds something. The message then has the seed of that one input: keep it among the known seeds, which always run.
public static class Fuzz
{
    // target: Draws an input from the random numbers, and tries it.
    // known: Seeds that have found something once.
    public static void Run(Action<Random> target, params int[] known)
    {
        foreach (int seed in known) Try(target, seed);
        TimeSpan time = TimeSpan.FromSeconds(LongRuns.Of(1, 60));
        int round = LongRuns.On ? Environment.TickCount : Seeds.Seed;
        for (Stopwatch watch = Stopwatch.StartNew(); watch.Elapsed < time; round++) Try(target, round);
    }

    private static void Try(Action<Random> target, int seed)
    {
        CaseNote.Set("fuzz seed", seed);
        try
        {
            target(new(seed));
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"seed {seed}: {e.Message}", e);
        }
    }

    // Changes some bytes, in the ways that meet most checks: anything, a bit, a limit, a piece copied over another.
    public static void Damage(Random random, Span<byte> bytes)
    {
        if (bytes.IsEmpty) return;
        for (int i = random.Next(1, 8); i > 0; i--)
        {
            int at = random.Next(random.Next(3) == 0 ? Math.Min(bytes.Length, 128) : bytes.Length);
            switch (random.Next(5))
            {
                case 0:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 1:
                    bytes[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 2:
                    bytes[at] = random.Next(2) == 0 ? (byte)0 : (byte)255;
                    break;
                case 3:
                    bytes[at] += (byte)random.Next(-3, 4);
                    break;
                default:
                    int length = Math.Min(random.Next(1, 40), bytes.Length - at), from = random.Next(bytes.Length - length + 1);
                    bytes.Slice(from, length).CopyTo(bytes[at..]);
                    break;
            }
        }
    }
}
