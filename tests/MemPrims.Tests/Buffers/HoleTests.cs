using System.Diagnostics;
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
    public void A_hole_is_filled_once_and_by_as_many_bytes_as_it_has()
    {
        SegmentList list = new();
        Appender to = new(list);
        Hole hole = to.LeaveHole(4);
        Assert.Throws<ArgumentException>(() => hole.Fill([1, 2, 3]));
        Assert.Throws<ArgumentException>(() => hole.Fill((short)1));
        hole.Fill(1);
        Assert.Throws<InvalidOperationException>(() => hole.Fill(2));
        Hole next = to.LeaveHole(4), empty = to.LeaveHole(0);
        Assert.Throws<InvalidOperationException>(() => hole.Fill(2));
        next.Fill(3);
        to.Commit();
        Assert.Equal("0100000003000000", Convert.ToHexString(list.ToArray()));
        Assert.Throws<InvalidOperationException>(() => empty.Fill([]));
        Assert.Throws<InvalidOperationException>(() => default(Hole).Fill([]));
    }

    [Fact]
    public void A_hole_of_an_appender_that_is_closed_is_no_longer_there()
    {
        SegmentList list = new();
        Appender to = new(list);
        Hole dropped = to.LeaveHole(1), empty = to.LeaveHole(0);
        to.Dispose();
        list.Append([9]);
        Assert.Throws<InvalidOperationException>(() => dropped.Fill((byte)1));
        Assert.Throws<InvalidOperationException>(() => empty.Fill([]));
        to = new(list);
        Hole hole = to.LeaveHole(1);
        Assert.Throws<InvalidOperationException>(() => dropped.Fill((byte)1));
        list.Abandon();
        Assert.Throws<InvalidOperationException>(() => hole.Fill((byte)1));
        Assert.Equal(new byte[] { 9 }, list.ToArray());
        to.Dispose();
    }

    [Theory, InlineData(false), InlineData(true)]
    public void Many_open_holes_cost_linear_time(bool forwards)
    {
        const int holes = 100_000;
        using SegmentList list = new();
        using Appender to = new(list);
        Stopwatch watch = Stopwatch.StartNew();
        List<Hole> open = [];
        for (int i = 0; i < holes; i++)
        {
            open.Add(to.LeaveHole(4));
            to.Write((byte)i);
        }
        if (!forwards) open.Reverse();
        foreach (Hole hole in open)
        {
            hole.Fill((int)hole.Position);
            to.LeaveHole(1).Fill((byte)1);
        }
        to.Commit();
        Assert.Equal(holes * 6, list.AsSequence().Length);
        Assert.True(watch.Elapsed < TimeSpan.FromSeconds(3), $"{watch.Elapsed}");
    }

    [Fact]
    public void Holes_are_filled_in_any_order()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < LongRuns.Of(200, 5000); round++)
        {
            using SegmentList list = new();
            List<(Hole Hole, byte[] Bytes)> open = [];
            List<Hole> stale = [];
            List<byte> model = [];
            Appender to = new(list);
            for (int step = 0; step < 60; step++)
            {
                switch (random.Next(4))
                {
                    case 0 or 1:
                        byte[] bytes = new byte[random.Next(3) == 0 ? 0 : random.Next(20)];
                        random.NextBytes(bytes);
                        open.Add((to.LeaveHole(bytes.Length), bytes));
                        model.AddRange(bytes);
                        break;
                    case 2:
                        to.Write((byte)step);
                        model.Add((byte)step);
                        break;
                    case 3 when open.Count > 0:
                        int at = random.Next(open.Count);
                        open[at].Hole.Fill(open[at].Bytes);
                        stale.Add(open[at].Hole);
                        open.RemoveAt(at);
                        break;
                }
                foreach (Hole hole in stale) Assert.Throws<InvalidOperationException>(() => hole.Fill(new byte[hole.Length]));
            }
            foreach ((Hole hole, byte[] bytes) in open) hole.Fill(bytes);
            to.Commit();
            Assert.Equal(model, list.ToArray());
        }
    }
}
