using System.IO.Hashing;
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

internal readonly unsafe struct PackageHash : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) =>
        (long)XxHash3.HashToUInt64(new ReadOnlySpan<byte>(left, (int)length), 7);
}

/// <summary>Seeded hashes: of keys, beside what .NET has and its package System.IO.Hashing, and of whole pages.</summary>
internal sealed class HashCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        yield return Hash("0–8", Lengths.UpTo(8), 8, 0.95);
        yield return Hash("0–16", Lengths.UpTo(16), 16, 1.3);
        yield return Hash("0–64", Lengths.UpTo(64), 64, 1.3);
        yield return Hash("0–256", Lengths.UpTo(256), 256, 1.3);
        foreach (int length in (int[])[8, 16, 4096])
            yield return Hash($"{length} B", Lengths.Fixed(length), length, length < 4096 ? 0.8 : 0.7);
    }

    private static RatioCase Hash(string name, Func<Random, int> lengths, int longest, double package) =>
        new("hash", name, () =>
        {
            BlockPairs pairs = BlockPairs.Equal(lengths, longest);
            return new(pairs.Count, new("Block.Hash", () => Batch.Of<BlockHash>(pairs)),
                new("XxHash3", () => Batch.Of<PackageHash>(pairs), package),
                new Contender("HashCode.AddBytes", () => Batch.Of<BclHash>(pairs)))
            {
                Redraw = pairs.Redraw, Close = pairs.Dispose,
            };
        });
}
