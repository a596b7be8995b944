using System.Numerics;
using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Checksums;

internal readonly unsafe struct ChecksumCrc32C : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => Checksum.Crc32C(left, length);
}

/// <summary>The loop that everybody writes: one chain of the CRC instruction.</summary>
internal readonly unsafe struct BitOperationsLoop : IBlockRoutine
{
    public static long Run(byte* left, byte* right, nint length)
    {
        uint crc = ~0u;
        for (; length >= 8; left += 8, length -= 8) crc = BitOperations.Crc32C(crc, *(ulong*)left);
        for (; length > 0; left++, length--) crc = BitOperations.Crc32C(crc, *left);
        return ~crc;
    }
}

/// <summary>CRC-32C of pages and of records.</summary>
internal sealed class ChecksumCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int length in (int[])[16, 64, 200, 256, 1024, 4096, 65_536])
            yield return new("CRC-32C", $"{length} B", () =>
            {
                BlockPairs pairs = BlockPairs.Equal(Lengths.Fixed(length), length, Math.Max(64, (1 << 20) / length));
                return new(pairs.Count, new("Checksum", () => Batch.Of<ChecksumCrc32C>(pairs)),
                    new Contender("BitOperations loop", () => Batch.Of<BitOperationsLoop>(pairs), length == 4096 ? 2.5 : 0));
            });
    }
}
