using MemPrims.Benchmarks.Ratio;
using MemPrims.Buffers;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>
/// Splice or copy: a block appended and everything then copied to a stream, by reference against by copy. The smallest size at which
/// referring wins
/// is SegmentList.SpliceThreshold; both directions count, as every reference is one more piece to read.
/// </summary>
public sealed class SpliceCases : IRatioCases
{
    private const int Blocks = 64;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int size in new[] { 4096, 8192, 16_384, 65_536 })
            yield return new("Splice or copy", $"{size:N0} bytes", () =>
            {
                SegmentList list = new();
                byte[] memory = new byte[size + 8];
                MemoryStream stream = new(Blocks * (size + 8));
                // Below the threshold Splice copies: both are the same there.
                return new(Blocks, new("Splice", () => Fill(list, stream, memory, size, splice: true)), new Contender("Append", () =>
                    Fill(list, stream, memory, size, splice: false)));
            });
    }

    private static long Fill(SegmentList list, MemoryStream stream, byte[] memory, int size, bool splice)
    {
        list.Clear();
        for (int i = 0; i < Blocks; i++)
        {
            list.Append(memory.AsSpan(0, 8));
            if (splice) list.Splice(memory.AsMemory(0, size));
            else list.Append(memory.AsSpan(0, size));
        }
        stream.Position = 0;
        list.CopyTo(stream);
        return stream.Position;
    }
}
