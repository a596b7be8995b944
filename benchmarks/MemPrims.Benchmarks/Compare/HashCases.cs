using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Compare;

internal readonly unsafe struct BlockHash : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => (long)Block.Hash(left, length, 7);
}

internal readonly unsafe struct BclHash : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        HashCode hash = default;
        hash.AddBytes(new ReadOnlySpan<byte>(left, (int)length));
        return hash.ToHashCode();
    }
}

/// <summary>
/// Seeded hashes of short keys. The peer is what .NET has without a package. System.IO.Hashing 11.0 has XxHash3, measured in a program of
/// its own (Zen 5, seeded, lengths drawn anew, one seed for all and each hash as the next one's seed; XxHash3's time divided by ours):
/// 0–8 B 0.94 and 1.00, 0–16 B 1.63 and 1.67, 0–64 B 1.23 and 1.23, 0–256 B 1.37 and 1.51.
/// </summary>
internal sealed class HashCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int longest in (int[])[8, 16, 64, 256])
            yield return new("hash, random", $"0–{longest}", () =>
            {
                BlockPairs pairs = BlockPairs.Equal(Lengths.UpTo(longest), longest);
                return new(pairs.Count, new("Block.Hash", () => Batch.Of<BlockHash>(pairs)),
                    new Contender("HashCode.AddBytes", () => Batch.Of<BclHash>(pairs)))
                {
                    Redraw = pairs.Redraw, Close = pairs.Dispose,
                };
            });
    }
}
