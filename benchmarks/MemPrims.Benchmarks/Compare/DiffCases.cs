using System.Buffers.Binary;
using System.Runtime.Intrinsics;
using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Compare;

/// <summary>
/// The differences of two pages, written as a journal takes them. The peer compares 32 bytes a turn and writes whole turns, with 16 bytes
/// before each range: less work, and for few changes a longer journal. On Zen 5 the bound is reached for none and nearly for one.
/// <para>
/// Tried and left, 0, 1, 4, 40, 400 changes, in times of the peer (Zen 5): chunk by chunk, each asked for its runs 0.72, 0.74, 0.79,
/// 0.81, 0.26; eight chunks at once, their masks widened by the gap, edges four at a time 1.21, 1.12, 0.83, 0.94, 0.70; the same with
/// edges packed by vpcompressb, the one kept, 1.20, 1.18, 0.86, 0.98, 0.91; with the masks widened in one vector no better. Those were
/// taken beside other work; the one kept takes 1.36, 1.13, 0.98, 0.95, 0.75 on a quiet machine.
/// </para>
/// </summary>
internal sealed class DiffCases : IRatioCases
{
    private const int PageBytes = 8192, Pages = 64;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int changes in (int[])[0, 1, 4, 40, 400])
            yield return new("diff of a page", $"{changes} bytes changed", () =>
            {
                byte[][] before = new byte[Pages][], after = new byte[Pages][];
                for (int i = 0; i < Pages; i++) (before[i], after[i]) = (new byte[PageBytes], new byte[PageBytes]);
                byte[] journal = new byte[2 * PageBytes];
                Random random = new();
                return new(Pages, new("Block.Diff", () => Each(Ours)), new Contender("32 bytes a turn", () => Each(ByTurns), 1.2))
                {
                    Redraw = () =>
                    {
                        for (int i = 0; i < Pages; i++)
                        {
                            random.NextBytes(before[i]);
                            before[i].CopyTo(after[i], 0);
                            for (int change = 0; change < changes; change++)
                                after[i][random.Next(PageBytes)] ^= (byte)random.Next(1, 256);
                        }
                    },
                };

                long Each(Func<byte[], byte[], byte[], int> write)
                {
                    long written = 0;
                    for (int i = 0; i < Pages; i++) written += write(before[i], after[i], journal);
                    return written;
                }
            });
    }

    private static int Ours(byte[] before, byte[] after, byte[] to)
    {
        Block.Diff(before, after).TryWrite(to, out int written);
        return written;
    }

    private static int ByTurns(byte[] before, byte[] after, byte[] to)
    {
        const int turn = 32;
        int written = 0, start = -1;
        for (int at = 0; at < PageBytes; at += turn)
        {
            if (Vector256.LoadUnsafe(ref before[at]) != Vector256.LoadUnsafe(ref after[at])) start = start < 0 ? at : start;
            else if (start >= 0) End(at);
        }
        if (start >= 0) End(PageBytes);
        return written;

        void End(int at)
        {
            BinaryPrimitives.WriteInt64LittleEndian(to.AsSpan(written), start);
            BinaryPrimitives.WriteInt64LittleEndian(to.AsSpan(written + 8), at - start);
            after.AsSpan(start, at - start).CopyTo(to.AsSpan(written + 16));
            written += 16 + at - start;
            start = -1;
        }
    }
}
