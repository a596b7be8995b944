using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Copy;

/// <summary>
/// Copy and fill. The variants for short blocks on the machine of results/, at 3.9 GHz (ns a call, random offsets); the first two of them stayed,
/// and ShortBlocks chooses:
///
///                                            0–64   0–128   0–256
///   four masked windows of 32                1.53    1.55    4.93
///   two masked windows of 32, branch at 64   1.16    4.82    5.65
///   one masked window of 64, branch at 64    1.40    4.83    5.44
///   two masked windows of 64                 1.87    1.93    5.25
///   four masked windows of 64                2.69    2.74    2.91   pays only where most blocks are above 128
///   four unmasked windows a class            3.32    5.21    5.81   the 128-bit tier
///   Buffer.MemoryCopy                        7.34    9.29   11.53
/// </summary>
internal sealed class CopyCases : IRatioCases
{
    private static readonly int[] s_fixed = [0, 1, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 100, 128, 200, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1 << 20, 4 << 20];

    public static IEnumerable<RatioCase> Cases()
    {
        yield return Copies("copy, random", "0–16", () => BlockPairs.Equal(Lengths.UpTo(16), 16));
        yield return Copies("copy, random", "0–64", () => BlockPairs.Equal(Lengths.UpTo(64), 64), 5, 5);
        yield return Copies("copy, random", "0–128", () => BlockPairs.Equal(Lengths.UpTo(128), 128));
        yield return Copies("copy, random", "0–256", () => BlockPairs.Equal(Lengths.UpTo(256), 256), 2, 1.25);
        yield return Copies("copy, random", "measured shape", () => BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest));
        foreach (int distance in (int[])[1, 2, 8, 64, -1, -2, -8, -64])
            yield return Copies("copy, overlapping, 16 B–4 KiB", $"{Math.Abs(distance)} to the {(distance < 0 ? "left" : "right")}",
                () => BlockPairs.Overlapping(Lengths.Between(16, 4096), 4096, distance, 8_192), Math.Abs(distance) <= 8 ? 3 : 0);
        foreach (int mebibytes in (int[])[64, 96])
            yield return new("copy, past the cache", $"{mebibytes} MiB", () =>
            {
                BlockPairs pairs = BlockPairs.Equal(Lengths.Fixed(mebibytes << 20), mebibytes << 20, 1);
                return new(pairs.Count, new("CopyStreaming", () => Batch.Of<BlockCopyStreaming>(pairs)),
                    new("Buffer.MemoryCopy", () => Batch.Of<BufferMemoryCopy>(pairs), 1.3), new("libc", () => Batch.Of<LibcCopyWithTransition>(pairs)));
            });
        yield return Plain("0–64", () => BlockPairs.Equal(Lengths.UpTo(64), 64));
        yield return Plain("12 B", () => BlockPairs.Equal(Lengths.Fixed(12), 12));
        foreach (bool aligned in (bool[])[true, false])
            foreach (int length in s_fixed)
                yield return Copies(aligned ? "copy, fixed, aligned" : "copy, fixed, odd offsets", $"{length} B",
                    () => BlockPairs.Equal(Lengths.Fixed(length), length, BlockPairs.CallsFor(length), aligned), 0.95, 0.95);
        foreach (int longest in (int[])[64, 256])
            yield return new("fill, random", $"0–{longest}", () =>
            {
                BlockPairs pairs = BlockPairs.Equal(Lengths.UpTo(longest), longest);
                return new(pairs.Count, new("Block", () => Batch.Of<BlockFill>(pairs)), new Contender("Span.Fill", () => Batch.Of<SpanFill>(pairs)));
            });
    }

    private static RatioCase Copies(string group, string name, Func<BlockPairs> prepare, double bcl = 0, double libc = 0) => new(group, name, () =>
    {
        BlockPairs pairs = prepare();
        return new(pairs.Count, new("Block", () => Batch.Of<BlockCopy>(pairs)),
            new("Buffer.MemoryCopy", () => Batch.Of<BufferMemoryCopy>(pairs), bcl), new("libc", () => Batch.Of<LibcCopy>(pairs), libc));
    });

    private static RatioCase Plain(string name, Func<BlockPairs> prepare) => new("copy, plain variants", name, () =>
    {
        BlockPairs pairs = prepare();
        return new(pairs.Count, new("Block", () => Batch.Of<BlockCopy>(pairs)),
            new("for-loop", () => Batch.Of<CopyBytes>(pairs)), new("4-byte words", () => Batch.Of<CopyWords<uint>>(pairs)), new("8-byte words", () => Batch.Of<CopyWords<ulong>>(pairs)),
            new("branch table, then words", () => Batch.Of<CopyTableBeforeWords>(pairs)), new("words, then branch table", () => Batch.Of<CopyTableAfterWords>(pairs)));
    });
}
