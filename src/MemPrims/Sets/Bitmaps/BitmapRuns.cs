using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>
/// Runs to bits and back, by their edges: an edge is the first id of a run, or the first id behind one. Many runs become bits by flipping one bit per
/// edge, after which every bit takes the parity of all bits at and below it. Bits become runs by comparing each with the bit below it: where they
/// differ is an edge. Neither has a branch per run.
/// </summary>
internal static class BitmapRuns
{
    /// <summary>So many runs are filled one by one: a fill may be long, but the parities take a pass over the bitmap (reasoned, not swept).</summary>
    private const int MostToFill = 48;

    /// <summary>Writes the bits of runs over the words.</summary>
    public static void Expand(ref ulong words, ReadOnlySpan<Run> runs)
    {
        MemoryMarshal.CreateSpan(ref words, Bitmap.WordCount).Clear();
        if (runs.Length <= MostToFill)
        {
            foreach (Run run in runs) Bitmap.SetRange(ref words, run.Start, run.End);
            return;
        }
        ref byte bytes = ref Unsafe.As<ulong, byte>(ref words);
        foreach (Run run in runs)
        {
            int start = run.Start, end = run.End + 1;
            Unsafe.Add(ref bytes, start >> 3) ^= (byte)(1 << (start & 7));
            // Behind the last id there is no edge: a flip of nothing.
            Unsafe.Add(ref bytes, (end & 0xFFFF) >> 3) ^= (byte)((end >> 16 ^ 1) << (end & 7));
        }
        if (Hardware.Tier == Tier.Vector512) FillBetween512(ref words);
        else FillBetween(ref words);
    }

    /// <summary>How many ids have their bit set and lie in a run.</summary>
    [SkipLocalsInit]
    public static int CountIn(ref ulong words, ReadOnlySpan<Run> runs)
    {
        int count = 0;
        if (runs.Length <= MostToFill)
        {
            foreach (Run run in runs) count += BitmapCount.Range(ref words, run.Start, run.End);
            return count;
        }
        Span<ulong> bits = stackalloc ulong[Bitmap.WordCount];
        Expand(ref bits[0], runs);
        return BitmapPass.CountAnd(ref bits[0], ref words);
    }

    /// <summary>The runs of set bits.</summary>
    public static int Count(ref ulong words)
    {
        int runs = 0;
        ulong carry = 0;
        for (int i = 0; i < Bitmap.WordCount; i++)
        {
            ulong word = Unsafe.Add(ref words, i);
            runs += BitOperations.PopCount(word & ~(word << 1 | carry));
            carry = word >> 63;
        }
        return runs;
    }

    /// <summary>Writes the runs of set bits. The destination takes all of them, at most <see cref="RunOverlap.MostRuns"/>.</summary>
    [SkipLocalsInit]
    public static void Extract(ref ulong words, Span<Run> runs)
    {
        Span<ulong> edges = stackalloc ulong[Bitmap.WordCount];
        ulong carry = 0;
        for (int i = 0; i < edges.Length; i++)
        {
            ulong word = Unsafe.Add(ref words, i);
            edges[i] = word ^ (word << 1 | carry);
            carry = word >> 63;
        }
        Span<ushort> places = MemoryMarshal.Cast<Run, ushort>(runs);
        int count = BitmapDecode.Run(ref edges[0], (ushort)0, places);
        if (count < places.Length) places[count] = 0;
        RunEdges.ToRuns(runs);
    }

    private static void FillBetween(ref ulong words)
    {
        ulong carry = 0;
        for (int i = 0; i < Bitmap.WordCount; i++)
        {
            ulong word = Unsafe.Add(ref words, i);
            word ^= word << 1;
            word ^= word << 2;
            word ^= word << 4;
            word ^= word << 8;
            word ^= word << 16;
            word ^= word << 32;
            word ^= carry;
            Unsafe.Add(ref words, i) = word;
            carry = (ulong)((long)word >> 63);
        }
    }

    private static void FillBetween512(ref ulong words)
    {
        Vector512<ulong> lanes = Vector512.Create(1ul, 2, 4, 8, 16, 32, 64, 128);
        ulong carry = 0;
        for (nuint i = 0; i < Bitmap.WordCount; i += 8)
        {
            Vector512<ulong> word = Vector512.LoadUnsafe(ref words, i);
            word ^= word << 1;
            word ^= word << 2;
            word ^= word << 4;
            word ^= word << 8;
            word ^= word << 16;
            word ^= word << 32;
            // The parities of the words: each is passed on to all words above it.
            ulong odd = word.ExtractMostSignificantBits();
            odd ^= odd << 1;
            odd ^= odd << 2;
            odd ^= odd << 4;
            Vector512<ulong> flips = Vector512.Create((odd << 1) ^ carry) & lanes;
            (word ^ ~Vector512.Equals(flips, Vector512<ulong>.Zero)).StoreUnsafe(ref words, i);
            carry ^= 0 - (odd >> 7 & 1);
        }
    }
}
