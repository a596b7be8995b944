using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Copy;

/// <summary>
/// Copy and fill. Lengths and offsets are drawn anew before every timed batch. In "awaited" the next step waits for the first word of the
/// copy, as when a header is copied out of a page and then parsed. "sizes" goes up to the named length from a sixth below it.
/// </summary>
internal sealed class CopyCases : IRatioCases
{
    private static readonly int[] s_fixed =
        [0, 1, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 100, 128, 200, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1 << 20, 4 << 20];

    public static IEnumerable<RatioCase> Cases()
    {
        yield return Copies("copy, random", "0–16", () => BlockPairs.Equal(Lengths.UpTo(16), 16));
        yield return Copies("copy, random", "0–64", () => BlockPairs.Equal(Lengths.UpTo(64), 64), 1.5, 1.2);
        yield return Copies("copy, random", "0–128", () => BlockPairs.Equal(Lengths.UpTo(128), 128));
        yield return Copies("copy, random", "0–256", () => BlockPairs.Equal(Lengths.UpTo(256), 256), 1.5, 1);
        yield return Copies("copy, random", "measured shape", () => BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest));
        yield return Copies("copy, random", "0–64, scattered over 64 MiB", () => CasePairs.Scattered(Lengths.UpTo(64), 64, 64 << 20));
        foreach (int length in (int[])[8, 16, 32, 50, 64, 100])
        {
            yield return Awaited($"{length} B", () => BlockPairs.Equal(Lengths.Fixed(length), length), 0.9);
            yield return Copies("copy, one length", $"{length} B", () => BlockPairs.Equal(Lengths.Fixed(length), length), 0.9);
        }
        yield return Awaited("8–64 B, random", () => BlockPairs.Equal(random => random.Next(8, 65), 64), 1, 0.9);
        foreach (int length in Lengths.Sizes)
        {
            (double bcl, double libc) = length <= 80 ? (0.9, 0.8) : (0.95, 0.95);
            yield return Copies("copy, sizes", Lengths.NameOfAround(length), () =>
                BlockPairs.Equal(Lengths.Around(length), length, BlockPairs.CallsFor(length)), bcl, libc);
        }
        yield return Copies("empty", "copy", () => BlockPairs.Equal(Lengths.Fixed(0), 0), 0.5);
        yield return Copies("empty", "copy, null", CasePairs.Null, 0.5);
        foreach (int distance in (int[])[1, 2, 8, 64, -1, -2, -8, -64])
            yield return Copies("copy, overlapping, 16 B–4 KiB", $"{Math.Abs(distance)} to the {(distance < 0 ? "left" : "right")}",
                () => CasePairs.Overlapping(CasePairs.Between(16, 4096), 4096, distance, 8_192), Math.Abs(distance) <= 8 ? 3 : 0);
        foreach (int mebibytes in (int[])[64, 96])
            yield return new("copy, past the cache", $"{mebibytes} MiB", () =>
            {
                BlockPairs pairs = BlockPairs.Equal(Lengths.Fixed(mebibytes << 20), mebibytes << 20, 1);
                return Of(pairs, _ => new(pairs.Count, new("CopyStreaming", () => Batch.Of<BlockCopyStreaming>(pairs)),
                    new("Buffer.MemoryCopy", () => Batch.Of<BufferMemoryCopy>(pairs), 1.3),
                        new("libc", () => Batch.Of<LibcCopyWithTransition>(pairs))));
            });
        yield return Plain("0–64", () => BlockPairs.Equal(Lengths.UpTo(64), 64));
        yield return Plain("12 B", () => BlockPairs.Equal(Lengths.Fixed(12), 12));
        foreach (bool aligned in (bool[])[true, false])
            foreach (int length in s_fixed)
                yield return Copies(aligned ? "copy, fixed, aligned" : "copy, fixed, odd offsets", $"{length} B",
                    () => BlockPairs.Equal(Lengths.Fixed(length), length, BlockPairs.CallsFor(length), aligned));
        foreach (int longest in (int[])[64, 256])
            yield return new("fill, random", $"0–{longest}", () =>
            {
                BlockPairs pairs = BlockPairs.Equal(Lengths.UpTo(longest), longest);
                return Of(pairs, _ => new(pairs.Count, new("Block", () => Batch.Of<BlockFill>(pairs)),
                    new Contender("Span.Fill", () => Batch.Of<SpanFill>(pairs))));
            });
    }

    private static RatioCase Copies(string group, string name, Func<BlockPairs> prepare, double bcl = 0, double libc = 0) =>
        new(group, name, () => Of(prepare(), pairs =>
        new(pairs.Count, new("Block", () => Batch.Of<BlockCopy>(pairs)),
            new("Buffer.MemoryCopy", () => Batch.Of<BufferMemoryCopy>(pairs), bcl), new("libc", () => Batch.Of<LibcCopy>(pairs), libc))));

    private static RatioCase Awaited(string name, Func<BlockPairs> prepare, double bcl = 0, double libc = 0) =>
        new("copy, its first word awaited", name, () => Of(prepare(), pairs =>
        new(pairs.Count, new("Block", () => AwaitedCopies.Of<BlockCopy>(pairs)),
            new("Buffer.MemoryCopy", () => AwaitedCopies.Of<BufferMemoryCopy>(pairs), bcl),
                new("libc", () => AwaitedCopies.Of<LibcCopy>(pairs), libc))));

    private static RatioCase Plain(string name, Func<BlockPairs> prepare) => new("copy, plain variants", name, () => Of(prepare(), pairs =>
        new(pairs.Count, new("Block", () => Batch.Of<BlockCopy>(pairs)),
            new("for-loop", () => Batch.Of<CopyBytes>(pairs)), new("4-byte words", () => Batch.Of<CopyWords<uint>>(pairs)),
                new("8-byte words", () => Batch.Of<CopyWords<ulong>>(pairs)),
            new("branch table, then words", () => Batch.Of<CopyTableBeforeWords>(pairs)),
                new("words, then branch table", () => Batch.Of<CopyTableAfterWords>(pairs)))));

    private static Contest Of(BlockPairs pairs, Func<BlockPairs, Contest> contest) =>
        contest(pairs) with { Redraw = pairs.Redraw, Close = pairs.Dispose };
}
