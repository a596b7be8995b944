using System.Buffers;
using MemPrims.Buffers;

namespace MemPrims.Tests.Buffers;

public class SegmentListTests
{
    [Fact]
    public void An_empty_list_has_an_empty_sequence()
    {
        SegmentList list = new();
        Assert.Equal(0, list.Length);
        Assert.True(list.AsSequence().IsEmpty);
        Assert.Empty(list.ToArray());
        list.Clear();
        list.Truncate(0);
        list.Append([]);
        Assert.True(list.AsSequence().IsEmpty);
    }

    [Fact]
    public void A_buffer_writer_gets_the_room_it_asks_for_and_keeps_what_it_advances_over()
    {
        SegmentList list = new();
        List<byte> expected = [];
        Random random = Seeds.Random();
        for (int i = 0; i < 2000; i++)
        {
            int hint = random.Next(0, 5000), used = random.Next(0, hint + 1);
            Span<byte> room = i % 2 == 0 ? list.GetSpan(hint) : list.GetMemory(hint).Span;
            Assert.True(room.Length >= Math.Max(hint, 1));
            room.Fill((byte)i);
            list.Advance(used);
            expected.AddRange(Enumerable.Repeat((byte)i, used));
        }
        Assert.Equal(expected.Count, list.Length);
        Assert.Equal(expected, list.ToArray());
        int tooFar = list.GetSpan().Length + 1;
        Assert.Throws<ArgumentOutOfRangeException>(() => list.Advance(tooFar));
        Assert.Throws<ArgumentOutOfRangeException>(() => list.Advance(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => list.GetSpan(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => list.GetMemory(-1));
    }

    [Fact]
    public void A_sequence_stays_as_it_was_while_the_list_grows()
    {
        SegmentList list = new();
        list.Append([1, 2, 3]);
        ReadOnlySequence<byte> before = list.AsSequence();
        list.Append(new byte[50_000]);
        Appender to = new(list);
        to.Write(new byte[50_000]);
        to.Dispose();
        Assert.Equal(new byte[] { 1, 2, 3 }, before.ToArray());
        Assert.Equal(50_003, list.AsSequence().Length);
    }

    [Theory]
    [InlineData(SegmentList.SpliceThreshold)]
    [InlineData(100_000)]
    public void Long_memory_is_taken_in_without_copying(int length)
    {
        byte[] memory = new byte[length];
        SegmentList list = new();
        list.Append([1]);
        list.Splice(memory);
        list.Append([2]);
        list.Splice(memory);
        list.Splice(memory);
        memory.AsSpan().Fill(7);
        Assert.Equal([1, .. memory, 2, .. memory, .. memory], list.ToArray());
        int pieces = 0;
        foreach (ReadOnlyMemory<byte> segment in list.AsSequence()) pieces += segment.IsEmpty ? 0 : 1;
        Assert.Equal(5, pieces);
    }

    [Fact]
    public void Short_memory_is_copied()
    {
        byte[] memory = new byte[SegmentList.SpliceThreshold - 1];
        SegmentList list = new();
        list.Splice(memory);
        memory.AsSpan().Fill(7);
        Assert.DoesNotContain(list.ToArray(), b => b != 0);
    }

    [Fact]
    public void The_rest_of_a_segment_is_used_after_a_splice()
    {
        SegmentList list = new();
        Memory<byte> first = list.GetMemory();
        list.Append([1]);
        list.Splice(new byte[10_000]);
        Memory<byte> second = list.GetMemory();
        Assert.Equal(first.Length - 1, second.Length);
        Assert.True(first.Span[1..].Overlaps(second.Span, out int offset) && offset == 0);
    }

    [Fact]
    public void Any_mixture_of_steps_leaves_what_the_same_steps_leave_in_a_list_of_bytes()
    {
        Random random = Seeds.Random(2);
        for (int round = 0; round < 300 * Seeds.Scale; round++)
        {
            using SegmentList list = new();
            List<byte> expected = [];
            for (int step = 0; step < 60; step++)
            {
                byte[] content = new byte[random.Next(3) == 0 ? random.Next(20_000) : random.Next(60)];
                random.NextBytes(content);
                switch (random.Next(10))
                {
                    case 0:
                        list.Splice(content);
                        expected.AddRange(content);
                        break;
                    case 1:
                        int length = random.Next(expected.Count + 1);
                        list.Truncate(length);
                        expected.RemoveRange(length, expected.Count - length);
                        break;
                    case 2:
                        Appender to = new(list);
                        foreach (byte b in content) to.Write(b);
                        if (random.Next(2) == 0)
                        {
                            to.Dispose();
                            break;
                        }
                        expected.AddRange(content);
                        to.Commit();
                        break;
                    case 3:
                        ReservedAppender reserved = new(list, content.Length + random.Next(9));
                        reserved.Write(content);
                        if (random.Next(2) == 0)
                        {
                            reserved.Dispose();
                            break;
                        }
                        expected.AddRange(content);
                        reserved.Commit();
                        break;
                    case 4:
                        UnsafeAppender uncheckedOne = new(list, content.Length);
                        uncheckedOne.Write(content);
                        uncheckedOne.Commit();
                        expected.AddRange(content);
                        break;
                    case 5:
                        Appender behind = new(list);
                        Hole hole = behind.LeaveHole(random.Next(9));
                        Assert.Equal(expected.Count, hole.Position);
                        behind.Write(content);
                        byte[] filling = new byte[hole.Length];
                        random.NextBytes(filling);
                        hole.Fill(filling);
                        behind.Commit();
                        expected.AddRange(filling);
                        expected.AddRange(content);
                        break;
                    case 6 when random.Next(5) == 0:
                        list.Clear();
                        expected.Clear();
                        break;
                    default:
                        list.Append(content);
                        expected.AddRange(content);
                        break;
                }
                Assert.Equal(expected.Count, list.Length);
                Assert.Equal(expected.Count, list.AsSequence().Length);
            }
            Assert.True(list.ToArray().AsSpan().SequenceEqual(expected.ToArray()), $"round {round}");
        }
    }

    [Fact]
    public void A_list_is_cut_only_to_a_length_that_it_has()
    {
        SegmentList list = new();
        list.Append([1, 2, 3]);
        Assert.Throws<ArgumentOutOfRangeException>(() => list.Truncate(4));
        Assert.Throws<ArgumentOutOfRangeException>(() => list.Truncate(-1));
        list.Truncate(2);
        Assert.Equal(new byte[] { 1, 2 }, list.ToArray());
    }

    [Fact]
    public async Task It_is_written_to_a_stream_in_one_call()
    {
        SegmentList list = new();
        byte[] content = new byte[300_000];
        Seeds.Random().NextBytes(content);
        list.Append(content.AsSpan(0, 150_000));
        list.Splice(content.AsMemory(150_000));

        MemoryStream stream = new(), later = new();
        list.CopyTo(stream);
        await list.CopyToAsync(later);
        Assert.Equal(content, stream.ToArray());
        Assert.Equal(content, later.ToArray());
    }

    [Fact]
    public void A_warm_list_allocates_nothing_however_it_is_filled()
    {
        using SegmentList list = new();
        byte[] block = new byte[3000], spliced = new byte[10_000];
        for (int i = 0; i < 3; i++) Fill();
        // What a fill allocates shows in every window. Once, beside the whole suite, 100 fills had 6,760 bytes from elsewhere; alone
        // never.
        long least = long.MaxValue;
        for (int window = 0; window < 5; window++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 20; i++) Fill();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }
        Assert.Equal(0, least);

        void Fill()
        {
            list.Clear();
            Appender to = new(list);
            for (int i = 0; i < 50_000; i++) to.Write((long)i);
            to.Write(block);
            to.WriteText("text");
            to.LeaveHole(4).Fill(5);
            to.Commit();
            ReservedAppender reserved = new(list, 5000);
            reserved.Write(block);
            reserved.Commit();
            for (int i = 0; i < 10; i++) list.Splice(spliced);
            for (int i = 0; i < 100; i++) list.Append(new Point(i, i));
            list.GetSpan(100);
            list.Advance(100);
        }
    }

    [Fact]
    public void More_than_two_gigabytes_are_appended() => Child.Run(AppendThreeGigabytes).AssertSucceeded();

    private static void AppendThreeGigabytes(string[] _)
    {
        // 2^31 bytes by the appender in memory of its own, more by reference; each number is its position, as far as it goes.
        const long own = 1L << 31;
        using SegmentList list = new();
        Appender to = new(list);
        for (long i = 0; i < own + 64; i += sizeof(long)) to.Write(i);
        Assert.Equal(own + 64, to.Position);
        to.Commit();
        Assert.Equal(own + 64, list.Length);
        list.Splice(new byte[1 << 30]);
        to = new(list);
        Hole hole = to.LeaveHole(sizeof(long));
        hole.Fill(hole.Position);
        to.Commit();
        Assert.Equal(own + 64 + (1 << 30) + 8, list.Length);
        Assert.Equal(list.Length, list.AsSequence().Length);
        foreach (long at in new[] { 0, 8, (1L << 31) - 8, 1L << 31, own + 56, own + 64 + (1 << 30) })
            Assert.Equal(at, BitConverter.ToInt64(list.AsSequence().Slice(at, sizeof(long)).ToArray()));
        Assert.Throws<InvalidOperationException>(() => list.ToArray());
        list.Truncate(own + 8);
        Assert.Equal(own, BitConverter.ToInt64(list.AsSequence().Slice(own).ToArray()));
    }
}
