using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Compare;

/// <summary>
/// Order of blocks that differ, at a place that is drawn anew for each call: nothing foresees where the answer lies. The peer is what
/// engines write in line (CompareInLine). Whole words up to 64 bytes, with branches that a search foresees, lost here; so did masks that
/// choose among four vectors above. On Zen 3 (256 bits), ns, of several runs that were scaled to the same CompareInLine (blocks that
/// differ from the place on; searches over 1,000 keys; equal blocks):
///
///                                                        8–32  17–64  33–128  30 shared  64 shared  0–64 equal
///   words to 64, then four vectors chosen by masks       10.0  10.5   11.6    108        168        4.7
///   two windows of 16, then two of 32, bytes loaded       6.7   5.5   11.9    129        133
///   two windows of 16, then 32 a turn                     7.3   9.5   12.4    108        131        9.8
///   so, when not all is equal by four vectors of 16       8.6  10.6   14.3    118        125        4.7
///   so, asked only where the last 8 are equal (stayed)    7.6   9.0   12.6    109        126        5.1
///   CompareInLine                                         8.8   8.7   11.5     97        124        9.7
///
/// CompareInLine gains in a search by what it needs not: a call, and the registers that a call takes. Above 128 bytes 32 a turn is 1.03 of
/// CompareInLine where four vectors a turn are 0.84, and would lose a third where blocks are equal. Earlier designs, as ratios to
/// CompareInLine here and to SequenceCompareTo in the rows of searches and equal blocks:
///
///                                              8–32  17–64  33–128  100–256   orders/  30 shared  0–64 equal  34–40 equal
///   a branch for each vector above 64          0.77  0.66   0.76    0.72      1.21     1.06       2.05        1.07
///   the vector chosen by a mask                0.78  0.68   0.91    0.90      as above
///   so, and two windows of 32 for 37–64        0.77  0.86   1.08    0.90      1.06     0.86       1.45        0.44
///   so, and four words chosen by masks to 36   0.80  0.85   1.06    0.88
///
/// And on Zen 5 (512 bits):
///
///   a branch for each vector above 64          0.66  0.56   0.85    0.93      1.16     1.17       3.5
///   first 4, then two windows of 32 to 64      1.47  1.67                     0.79     0.89       2.58
///   a word at 4, then two windows              0.86  1.13                     1.09     0.87
///
/// Above 64 bytes on Zen 5, ns: blocks that differ at a random place, and equal ones ("compare, fixed, aligned" and "compare, sizes"):
///
///                                                       33–128  100–256  257–1024  100   256   125–150  334–400
///   32 a turn to 128, then 64-byte vectors by 4 and 2   10.2     8.8     18.1      2.6   4.2   5.8      7.5
///   64 a turn, by way of Above64                         9.9    13.8     18.7      3.5   3.7   5.4      7.3
///   the first alone, then the last, four or two a turn   8.0     8.2     16.3      1.7   2.5   4.6      6.5
///   so, and two a turn begin after the first (stayed)    8.2     8.3     15.8      1.7   2.7   4.5      5.1
///   so, and 65–192 by the first, a second and the last   8.4     9.4     16.0      2.5   2.9   2.8      5.1
///   CompareInLine                                        9.6    11.1     16.4
///
/// The mask of a vector comes some eleven cycles later than the comparison of two words; in a search the next load waits for them.
///
/// Masked loads on Emerald Rapids, ns, by pointers, of a program of its own. Up to 32 bytes they are what libc does; longer blocks went
/// the way that stayed. The processor had other work: read it as a ranking. Blocks that nothing foresees would gain, searches among
/// numbers after a word would lose:
///
///                                             equal           differ   searches over 1,000 keys
///                                             0–16    0–32    8–32     random 16  orders/  words  paths
///   words and vectors (stayed)                11.3    10.3    17.0     102–105    117      126    153
///   first 4 in line, then one masked load     6.2     4.4     10.6     95         134      113    138
///   one masked load                           3.4     3.0     3.7      134        133      136    136
///   first 4, 8–16 by two words, else masked   11.2    11.1    14.9     94         117      125    148
///   libc's memcmp, no transition              3.5     3.0     4.1      127        128      132    129
/// </summary>
internal sealed class DifferingCases : IRatioCases
{
    private static readonly (int Shortest, int Longest)[] s_lengths = [(8, 32), (17, 64), (33, 128), (100, 256), (257, 1024)];

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (bool rest in (bool[])[true, false])
            foreach ((int shortest, int longest) in s_lengths)
            {
                string group = rest ? "compare, differs from a random place" : "compare, one byte differs";
                yield return new(group, $"{shortest}–{longest}", () =>
                {
                    BlockPairs pairs = CasePairs.DifferingSomewhere(shortest, longest, rest);
                    return new(pairs.Count, new("Block", () => Batch.Of<BlockCompare>(pairs)),
                        new("in line", () => Batch.Of<CompareInLine>(pairs), 1),
                        new("SequenceCompareTo", () => Batch.Of<BclCompare>(pairs)),
                        new("libc", () => Batch.Of<LibcCompare>(pairs)))
                    { Redraw = pairs.Redraw, Close = pairs.Dispose };
                });
            }
    }
}

/// <summary>
/// What engines write at the call site: 32 bytes a turn with one branch each, a last vector that ends where the block ends; shorter blocks
/// by words of 8 in the same way, then byte by byte. The place comes from the mask, and the two bytes there are loaded again.
/// </summary>
internal readonly unsafe struct CompareInLine : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        nint at = 0;
        if (length >= Vector256<byte>.Count)
        {
            nint last = length - Vector256<byte>.Count;
            while (true)
            {
                uint equal = Vector256.Equals(Vector256.Load(left + at), Vector256.Load(right + at)).ExtractMostSignificantBits();
                if (equal != uint.MaxValue)
                {
                    at += BitOperations.TrailingZeroCount(~equal);
                    return left[at] - right[at];
                }
                if (at == last) return 0;
                at = Math.Min(at + Vector256<byte>.Count, last);
            }
        }
        if (length >= sizeof(ulong))
        {
            nint last = length - sizeof(ulong);
            while (true)
            {
                ulong different = *(ulong*)(left + at) ^ *(ulong*)(right + at);
                if (different != 0)
                {
                    at += BitOperations.TrailingZeroCount(different) >> 3;
                    return left[at] - right[at];
                }
                if (at == last) return 0;
                at = Math.Min(at + sizeof(ulong), last);
            }
        }
        for (; at < length; at++)
            if (left[at] != right[at]) return left[at] - right[at];
        return 0;
    }
}
