using ArmAes = System.Runtime.Intrinsics.Arm.Aes;

namespace MemPrims.Sets;

// Runs to bits and back, by their edges. An edge is the first id of a run, or the first id after one. Many runs become bits in two steps:
// one bit is flipped for each edge, then every bit takes the parity of all bits at and below it. Bits become runs by a comparison of each
// bit with the one below: where they differ is an edge. Neither way has a branch for each run.
internal static class BitmapRuns
{
    // Up to so many runs are filled one by one. With more, the pass over the parities is faster (Sets/pairs, bitmap × 20, × 1000 runs).
    private const int MostToFill = 64;

    // Up to so many runs are counted one by one if they have so few ids on average: most of them lie in a word or two. For 100 runs of 20
    // ids that takes 0.38 of a bitmap of the runs (Zen 4; Sets/shapes, runs × bitmap).
    private const int MostShort = 512, ShortRun = 64;

    // Up to so many runs are counted one by one in a bitmap. For 8 that takes 0.91 of a bitmap of the runs and a pass over both, for 16 as
    // long (Zen 4; Sets/thresholds, runs of a bitmap).
    private const int MostToCount = 8;

    // Writes the bits of runs over the words.
    public static void Expand(ref ulong words, ReadOnlySpan<Run> runs)
    {
        // Only foreign bytes have more runs than the edges have room for.
        if (runs.Length is <= MostToFill or > RunOverlap.MostRuns)
        {
            BitmapFill.Runs(ref words, runs);
            return;
        }
        MemoryMarshal.CreateSpan(ref words, Bitmap.WordCount).Clear();
        Span<ushort> edges = stackalloc ushort[2 * RunOverlap.MostRuns + EdgeList.Slack];
        BitmapFill.Flip(ref words, edges[..EdgeList.OfRuns(runs, ref edges[0])]);
        if (Hardware.Tier == Tier.Vector512) FillBetween512(ref words);
        else FillBetween(ref words);
    }

    // How many ids have their bit set and lie in a run. The runs have `ids` ids, or about so many.
    public static int CountIn(ref ulong words, ReadOnlySpan<Run> runs, int ids)
    {
        int count = 0;
        if (runs.Length <= MostShort && ids <= runs.Length * ShortRun)
        {
            foreach (Run run in runs) count += BitmapCount.ShortRange(ref words, run.Start, run.End);
            return count;
        }
        if (runs.Length <= MostToCount)
        {
            foreach (Run run in runs) count += BitmapCount.Range(ref words, run.Start, run.End);
            return count;
        }
        Span<ulong> bits = stackalloc ulong[Bitmap.WordCount];
        Expand(ref bits[0], runs);
        return BitmapPass.CountAnd(ref bits[0], ref words);
    }

    // Sets a bit for each edge of the runs of set bits, and returns how many runs there are. The edge after the container's last id has no
    // bit.
    public static int Edges(ref ulong words, ref ulong edges)
    {
        BitmapPass.Differences(ref words, ref edges);
        return (BitmapCount.Ones(ref edges) + 1) / 2;
    }

    // Writes the runs between edges that Edges set. The destination takes all of them, at most RunOverlap.MostRuns.
    public static void OfEdges(ref ulong edges, Span<Run> runs)
    {
        Span<ushort> places = MemoryMarshal.Cast<Run, ushort>(runs);
        int count = BitmapDecode.Write(ref edges, (ushort)0, places);
        if (count < places.Length) places[count] = 0;
        RunEdges.ToRuns(runs);
    }

    private static void FillBetween(ref ulong words)
    {
        ulong carry = 0;
        for (int i = 0; i < Bitmap.WordCount; i++)
        {
            ulong word = Parities(Unsafe.Add(ref words, i)) ^ carry;
            Unsafe.Add(ref words, i) = word;
            carry = (ulong)((long)word >> 63);
        }
    }

    // Multiplied without carries by a number of ones only, every bit is the sum, without carries, of the bits up to it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Parities(ulong word)
    {
        if (Pclmulqdq.IsSupported) return Pclmulqdq.CarrylessMultiply(Vector128.CreateScalar(word), Vector128<ulong>.AllBitsSet,
            0).ToScalar();
        if (ArmAes.IsSupported)
            return ArmAes.PolynomialMultiplyWideningLower(Vector64.Create(word), Vector64<ulong>.AllBitsSet).ToScalar();
        word ^= word << 1;
        word ^= word << 2;
        word ^= word << 4;
        word ^= word << 8;
        word ^= word << 16;
        return word ^ word << 32;
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
