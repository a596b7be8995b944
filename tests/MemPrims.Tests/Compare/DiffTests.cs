using System.Buffers.Binary;

namespace MemPrims.Tests;

public class DiffTests
{
    [Fact]
    public void Ranges_are_those_of_a_plain_loop_at_every_length_and_gap()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 4000; round++)
        {
            (byte[] before, byte[] after) = Pages(random, random.Next(round % 4 == 0 ? 1200 : 200));
            int gap = random.Next(4) switch { 0 => 0, 1 => random.Next(4), 2 => BlockDiffGap, _ => random.Next(200) };
            List<Range> found = [];
            foreach (Range range in Block.Diff(before, after, gap)) found.Add(range);
            Assert.Equal(Plain(before, after, gap), found);
        }
    }

    [Fact]
    public void A_difference_of_nothing_has_no_range()
    {
        foreach (Range range in default(BlockDiff)) Assert.Fail($"{range}");
        Assert.True(default(BlockDiff).TryWrite([], out int written));
        Assert.Equal(0, written);
        Assert.False(Block.Diff([], []).MoveNext());
    }

    [Fact]
    public void What_was_written_makes_the_block_as_it_is_of_the_block_as_it_was()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 2000; round++)
        {
            (byte[] before, byte[] after) = Pages(random, random.Next(1000));
            byte[] written = new byte[8 + before.Length];
            // Gaps of 8 bytes and more cost no more than a range does.
            Assert.True(Block.Diff(before, after).TryWrite(written, out int length));
            if (length > 0) Assert.False(Block.Diff(before, after).TryWrite(new byte[length - 1], out _));
            byte[] patched = [.. before];
            Block.Patch(patched, written.AsSpan(0, length));
            Assert.Equal(after, patched);
        }
    }

    [Fact]
    public void Ranges_that_are_left_are_written_after_some_were_looked_at()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 1000; round++)
        {
            (byte[] before, byte[] after) = Pages(random, random.Next(3000));
            int gap = random.Next(3) == 0 ? random.Next(200) : BlockDiffGap, looked = 0;
            BlockDiff diff = Block.Diff(before, after, gap);
            for (int most = random.Next(6); looked < most && diff.MoveNext();) looked++;
            byte[] written = new byte[8 + 9 * after.Length];
            Assert.True(diff.TryWrite(written, out int length));
            int at = 0;
            foreach ((int start, int end) in Plain(before, after, gap).Skip(looked).Select(range => (range.Start.Value, range.End.Value)))
            {
                Assert.Equal(start, BinaryPrimitives.ReadInt32LittleEndian(written.AsSpan(at)));
                Assert.Equal(end - start, BinaryPrimitives.ReadInt32LittleEndian(written.AsSpan(at + 4)));
                Assert.Equal(after[start..end], written[(at + 8)..(at + 8 + end - start)]);
                at += 8 + end - start;
            }
            Assert.Equal(at, length);
            Assert.False(diff.MoveNext());
        }
    }

    [Fact]
    public void Differences_stay_between_the_guards() => Child.Run(BetweenGuards).AssertSucceeded();

    internal static unsafe void BetweenGuards(string[] _)
    {
        Random random = new(5);
        using GuardedMemory left = new(4096), right = new(4096), room = new(8192);
        for (int length = 0; length <= 1100; length++)
            foreach (bool atEnd in (ReadOnlySpan<bool>)[false, true])
            {
                (byte[] before, byte[] after) = Pages(random, length);
                Span<byte> from = new(atEnd ? left.EndingAtGuard(length) : left.Start, length),
                    to = new(atEnd ? right.EndingAtGuard(length) : right.Start, length);
                before.CopyTo(from);
                after.CopyTo(to);
                foreach (int gap in (ReadOnlySpan<int>)[BlockDiffGap, 70])
                {
                    int needed = Plain(before, after, gap).Sum(range => 8 + range.End.Value - range.Start.Value);
                    Span<byte> exact = new(room.EndingAtGuard(needed), needed);
                    Assert.True(Block.Diff(from, to, gap).TryWrite(exact, out int written));
                    Assert.Equal(needed, written);
                    Assert.True(needed == 0 || !Block.Diff(from, to, gap).TryWrite(exact[..^1], out int _));
                }
            }
    }

    [Fact]
    public void Hostile_differences_are_refused_and_change_nothing()
    {
        Random random = Seeds.Random();
        byte[] block = new byte[100];
        int refused = 0;
        for (int round = 0; round < 20_000; round++)
        {
            byte[] diff = new byte[random.Next(60)];
            for (int at = 0; at + 8 <= diff.Length; at += 8 + random.Next(8))
            {
                BinaryPrimitives.WriteInt32LittleEndian(diff.AsSpan(at), random.Next(5) == 0 ? random.Next() * 2 : random.Next(110));
                BinaryPrimitives.WriteInt32LittleEndian(diff.AsSpan(at + 4), random.Next(5) == 0 ? random.Next() * 2 : random.Next(10));
            }
            random.NextBytes(block);
            byte[] before = [.. block];
            try
            {
                Block.Patch(block, diff);
            }
            catch (DamagedDataException e)
            {
                Assert.InRange(e.Offset, 0, diff.Length);
                Assert.Equal(before, block);
                refused++;
            }
        }
        Assert.InRange(refused, 1000, 19_990);
        foreach (byte[] diff in (byte[][])
        [
            [1], [1, 0, 0, 0, 0, 0, 0, 0], [99, 0, 0, 0, 2, 0, 0, 0, 1, 1], [0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 1],
            [5, 0, 0, 0, 1, 0, 0, 0, 9, 5, 0, 0, 0, 1, 0, 0, 0, 9], [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F, 1],
        ])
            Assert.Throws<DamagedDataException>(() => Block.Patch(block, diff));
    }

    [Fact]
    public void Blocks_of_two_lengths_and_negative_gaps_are_refused()
    {
        Assert.Throws<ArgumentException>(() => Block.Diff([1], [1, 2]));
        Assert.Throws<ArgumentOutOfRangeException>(() => Block.Diff([1], [1], -1));
    }

    private const int BlockDiffGap = 8;

    private static (byte[] Before, byte[] After) Pages(Random random, int length)
    {
        byte[] before = new byte[length];
        random.NextBytes(before);
        byte[] after = [.. before];
        // Few, or more than fit a chunk's first edges.
        for (int change = random.Next(random.Next(4) == 0 ? 300 : 12); change > 0 && length > 0; change--)
        {
            int at = random.Next(length), bytes = Math.Min(length - at, 1 + random.Next(random.Next(2) == 0 ? 4 : 150));
            for (int i = 0; i < bytes; i++) after[at + i] ^= (byte)random.Next(random.Next(2) + 1, 256);
        }
        return (before, after);
    }

    private static List<Range> Plain(byte[] before, byte[] after, int gap)
    {
        List<(int Start, int End)> ranges = [];
        for (int i = 0; i < before.Length; i++)
        {
            if (before[i] == after[i]) continue;
            if (ranges.Count > 0 && i - ranges[^1].End <= gap) ranges[^1] = (ranges[^1].Start, i + 1);
            else ranges.Add((i, i + 1));
        }
        return [.. ranges.Select(range => range.Start..range.End)];
    }
}
