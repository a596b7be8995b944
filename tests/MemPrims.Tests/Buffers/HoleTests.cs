using MemPrims.Buffers;

namespace MemPrims.Tests.Buffers;

public class HoleTests
{
    [Fact]
    public void A_length_is_filled_in_before_its_content()
    {
        SegmentList list = new();
        Appender to = new(list);
        Hole outer = to.LeaveHole(4);
        Hole inner = to.LeaveHole(2);
        to.Write(new byte[10_000]);
        inner.Fill((ushort)(to.Position - inner.End));
        outer.Fill((uint)(to.Position - outer.End));
        to.Commit();
        Assert.Equal(Convert.FromHexString("12270000" + "1027"), list.ToArray()[..6]);
    }

    [Fact]
    public void A_hole_that_is_not_filled_is_an_error_at_publishing()
    {
        SegmentList list = new();
        list.Append([1]);
        InvalidOperationException refused = Assert.Throws<InvalidOperationException>(() =>
        {
            using Appender to = new(list);
            to.LeaveHole(2).Fill((short)1);
            to.LeaveHole(4);
            to.Commit();
        });
        Assert.Contains("4 bytes at position 3", refused.Message);
        Assert.Equal(new byte[] { 1 }, list.ToArray());
        using Appender next = new(list);
        next.Write((byte)2);
        next.Commit();
        Assert.Equal(new byte[] { 1, 2 }, list.ToArray());
    }

    [Fact]
    public void A_hole_of_the_list_is_filled_before_anything_is_read()
    {
        SegmentList list = new();
        Hole hole = list.LeaveHole(4);
        Assert.Contains("position 0", Assert.Throws<InvalidOperationException>(() => list.AsSequence()).Message);
        Assert.Throws<InvalidOperationException>(() => list.ToArray());
        Assert.Throws<InvalidOperationException>(() => list.CopyTo(new MemoryStream()));
        hole.Fill(7);
        Assert.Equal(new byte[] { 7, 0, 0, 0 }, list.ToArray());
    }

    [Fact]
    public void A_hole_is_filled_once_and_by_as_many_bytes_as_it_has()
    {
        SegmentList list = new();
        Hole hole = list.LeaveHole(4);
        Assert.Throws<ArgumentException>(() => hole.Fill([1, 2, 3]));
        Assert.Throws<ArgumentException>(() => hole.Fill((short)1));
        hole.Fill(1);
        Assert.Throws<InvalidOperationException>(() => hole.Fill(2));
        Hole next = list.LeaveHole(4);
        Assert.Throws<InvalidOperationException>(() => hole.Fill(2));
        next.Fill(3);
        Assert.Equal("0100000003000000", Convert.ToHexString(list.ToArray()));
        Assert.Throws<InvalidOperationException>(() => default(Hole).Fill([]));
        Assert.Throws<ArgumentOutOfRangeException>(() => list.LeaveHole(-1));
    }

    [Fact]
    public void A_cut_through_a_hole_that_is_not_filled_is_refused()
    {
        SegmentList list = new();
        list.Append([5]);
        Hole hole = list.LeaveHole(4);
        for (int length = 2; length < 5; length++)
            Assert.Contains("4 bytes at position 1", Assert.Throws<InvalidOperationException>(() => list.Truncate(length)).Message);
        Assert.Equal(5, list.Length);
        hole.Fill(0x04030201);
        list.Truncate(3);
        Assert.Equal(new byte[] { 5, 1, 2 }, list.ToArray());
        list.LeaveHole(4);
        list.Truncate(3);
        Assert.Equal(new byte[] { 5, 1, 2 }, list.ToArray());
    }

    [Fact]
    public void A_hole_behind_a_cut_is_no_longer_there_and_one_before_it_is()
    {
        SegmentList list = new();
        Hole kept = list.LeaveHole(1);
        Hole cut = list.LeaveHole(1);
        list.Truncate(1);
        list.Append([8]);
        Assert.Throws<InvalidOperationException>(() => cut.Fill((byte)1));

        Appender to = new(list);
        Hole dropped = to.LeaveHole(1);
        to.Dispose();
        list.Append([9]);
        Assert.Throws<InvalidOperationException>(() => dropped.Fill((byte)1));
        kept.Fill((byte)7);
        Assert.Equal(new byte[] { 7, 8, 9 }, list.ToArray());
    }
}
