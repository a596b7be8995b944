using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// Whether blocks are short at the moment: a hint, by which the paths in line choose between two masked windows (to 64 bytes) and four (to 128).
///
/// Two windows take 1.4 ns, four 2. But to ask each length which it needs costs 6 ns as often as the branch predictor errs, half of
/// the time for lengths from 0 to 128. So the question is put to this field instead, which rarely changes, and the branch on it is predicted: the
/// first block of 65 to 128 bytes turns it to four windows, and a short one turns it back, not sooner than <see cref="Patience"/> later.
/// Both paths are right for every length they take; only the time depends on the hint. It is written at most some hundred times a second, so that
/// the threads that read it keep its cache line.
///
/// The routines that branch on it are marked for optimisation at once, not for its own sake: they then come in line without a profile. With one that
/// has not seen four windows, the JIT takes their block for cold and moves the lane mask between a mask and a vector register at every load: 2.8 ns.
/// </summary>
/// <typeparam name="TRoutine">Compare or Copy: each has a hint of its own.</typeparam>
internal static class ShortBlocks<TRoutine> where TRoutine : struct
{
    private const int Patience = 16; // milliseconds

    private static long s_widenedAt;

    /// <summary>Blocks of more than 64 bytes are not expected: two windows will do.</summary>
    public static bool Expected = true;

    /// <summary>
    /// For a block that neither path in line took. A short one gets here at the end of a page, every hundredth time or so: often enough to see
    /// that the others are gone.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Note(nint length)
    {
        if (length > MaskedWindows.Reach) return;
        if (length > MaskedWindows.PairReach)
        {
            if (Expected) Widen();
        }
        else if (!Expected)
        {
            Narrow();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Widen()
    {
        s_widenedAt = Environment.TickCount64;
        Expected = false;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Narrow()
    {
        if (Environment.TickCount64 - s_widenedAt >= Patience) Expected = true;
    }
}

/// <summary>Names the hint of order and equality.</summary>
internal readonly struct ComparedBlocks;

/// <summary>Names the hint of copies.</summary>
internal readonly struct CopiedBlocks;
