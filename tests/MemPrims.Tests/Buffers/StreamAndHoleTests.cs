using System.Diagnostics;
using MemPrims.Buffers;

namespace MemPrims.Tests.Buffers;

// The stream of a list of many pieces, and lists with many open holes: what they cost, and what a cut leaves valid.
public class StreamAndHoleTests
{
    [Theory, InlineData(false), InlineData(true)]
    public void Many_open_holes_cost_linear_time(bool forwards)
    {
        const int holes = 40_000;
        using SegmentList list = new();
        Stopwatch watch = Stopwatch.StartNew();
        List<Hole> open = [];
        for (int i = 0; i < holes; i++)
        {
            open.Add(list.LeaveHole(4));
            using Appender to = new(list);
            to.Write((byte)i);
            to.Commit();
        }
        if (!forwards) open.Reverse();
        foreach (Hole hole in open)
        {
            hole.Fill((int)hole.Position);
            using Appender to = new(list);
            to.Write((byte)1);
            to.Commit();
        }
        Assert.Equal(holes * 6, list.AsSequence().Length);
        Assert.True(watch.Elapsed < TimeSpan.FromSeconds(3), $"{watch.Elapsed}");
    }

    [Fact]
    public void Holes_are_filled_in_any_order_and_stale_after_a_cut()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < LongRuns.Of(200, 5000); round++)
        {
            using SegmentList list = new();
            List<(Hole Hole, byte[] Bytes)> open = [];
            List<Hole> stale = [];
            List<byte> model = [];
            for (int step = 0; step < 60; step++)
            {
                switch (random.Next(5))
                {
                    case 0 or 1:
                        byte[] bytes = new byte[random.Next(3) == 0 ? 0 : random.Next(20)];
                        random.NextBytes(bytes);
                        open.Add((list.LeaveHole(bytes.Length), bytes));
                        model.AddRange(bytes);
                        break;
                    case 2:
                        list.Append([(byte)step]);
                        model.Add((byte)step);
                        break;
                    case 3 when open.Count > 0:
                        int at = random.Next(open.Count);
                        open[at].Hole.Fill(open[at].Bytes);
                        stale.Add(open[at].Hole);
                        open.RemoveAt(at);
                        break;
                    default:
                        long cut = random.Next(4) == 0 ? 0 : random.Next(model.Count + 1);
                        if (open.Any(each => each.Hole.Position < cut && each.Hole.End > cut))
                        {
                            Assert.Throws<InvalidOperationException>(() => list.Truncate(cut));
                            break;
                        }
                        bool clears = random.Next(4) == 0;
                        if (clears) cut = 0;
                        if (clears) list.Clear();
                        else list.Truncate(cut);
                        model.RemoveRange((int)cut, model.Count - (int)cut);
                        stale.AddRange(open.Where(each => clears || each.Hole.End > cut).Select(each => each.Hole));
                        open.RemoveAll(each => clears || each.Hole.End > cut);
                        break;
                }
                foreach (Hole hole in stale) Assert.Throws<InvalidOperationException>(() => hole.Fill(new byte[hole.Length]));
            }
            foreach ((Hole hole, byte[] bytes) in open) hole.Fill(bytes);
            Assert.Equal(model, list.ToArray());
        }
    }

    [Fact]
    public void A_hole_without_bytes_is_stale_after_Clear()
    {
        using SegmentList list = new();
        Hole first = list.LeaveHole(0);
        list.Clear();
        Assert.Throws<InvalidOperationException>(() => first.Fill([]));
        list.Append([1, 2]);
        Hole last = list.LeaveHole(0);
        // An appender that is dropped does not cut what was there.
        using (Appender to = new(list)) to.Write(5);
        last.Fill([]);
        Hole cut = list.LeaveHole(0);
        list.Truncate(1);
        Assert.Throws<InvalidOperationException>(() => cut.Fill([]));
        Hole end = list.LeaveHole(0);
        list.Truncate(1);
        end.Fill([]);
    }
}
