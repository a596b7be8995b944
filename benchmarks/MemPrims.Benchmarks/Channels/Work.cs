using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// Computing between two messages: a chain of multiplications and additions, so that every processor and both languages take the same
/// time for a step. Each call takes half to one and a half of what is asked, drawn anew: nothing can learn when the answer comes.
/// </summary>
internal static class Work
{
    private const ulong Factor = 6364136223846793005, Addend = 1442695040888963407;

    private static ulong s_seed = (ulong)Stopwatch.GetTimestamp() | 1;

    /// <summary>Steps in a microsecond on this machine. The partners are told steps, so that all of them do the same work.</summary>
    public static double StepsPerMicrosecond { get; } = Calibrate();

    /// <summary>What keeps the results in use.</summary>
    public static ulong Sink { get; private set; }

    public static void Do(long steps)
    {
        if (steps == 0) return;
        s_seed ^= s_seed << 13;
        s_seed ^= s_seed >> 7;
        s_seed ^= s_seed << 17;
        Sink += Chain((steps / 2) + (long)(s_seed % (ulong)steps), s_seed);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    private static ulong Chain(long steps, ulong x)
    {
        for (; steps > 0; steps--) x = (x * Factor) + Addend;
        return x;
    }

    private static double Calibrate()
    {
        const int steps = 200_000;
        long best = long.MaxValue;
        for (int i = 0; i < 20; i++)
        {
            long start = Stopwatch.GetTimestamp();
            Sink += Chain(steps, (ulong)start);
            best = Math.Min(best, Stopwatch.GetTimestamp() - start);
        }
        return steps * 1e3 / best;
    }
}
