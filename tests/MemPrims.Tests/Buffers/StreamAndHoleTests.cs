using System.Diagnostics;
using MemPrims.Buffers;

namespace MemPrims.Tests.Buffers;

// The stream of a list of many pieces, and lists with many open holes: what they cost, and what a cut leaves valid.
public class StreamAndHoleTests
{
    [Fact]
    public void A_stream_over_many_pieces_is_read_in_linear_time()
    {
        using SegmentList list = new();
        byte[] piece = new byte[SegmentList.SpliceThreshold];
        const int pieces = 40_000;
        for (int i = 0; i < pieces; i++) list.Splice(piece);
        Stopwatch watch = Stopwatch.StartNew();
        using Stream stream = list.AsStream();
        byte[] buffer = new byte[SegmentList.SpliceThreshold];
        long read = 0;
        for (int got; (got = stream.Read(buffer)) > 0;) read += got;
        Assert.Equal((long)pieces * piece.Length, read);
        Assert.True(watch.Elapsed < TimeSpan.FromSeconds(5), $"{watch.Elapsed}");
    }

    [Fact]
    public void A_closed_stream_does_nothing_but_to_be_closed_again()
    {
        using SegmentList list = new();
        Stream stream = list.AsStream();
        stream.Write([1, 2, 3]);
        stream.Close();
        stream.Dispose();
        Assert.False(stream.CanRead || stream.CanSeek || stream.CanWrite);
        byte[] buffer = new byte[4];
        MemoryStream to = new();
        Action[] uses =
        [
            () => _ = stream.Length, () => _ = stream.Position, () => stream.Position = 1, () => stream.Seek(0, SeekOrigin.End),
            () => stream.SetLength(1), () => _ = stream.Read(buffer.AsSpan()), () => _ = stream.Read(buffer, 0, 4),
            () => stream.ReadByte(),
            () => stream.Write(buffer), () => stream.Write(buffer, 0, 4), () => stream.WriteByte(1), () => stream.CopyTo(to),
            () => stream.CopyToAsync(to).GetAwaiter().GetResult(), () => stream.ReadAsync(buffer).AsTask().GetAwaiter().GetResult(),
        ];
        for (int i = 0; i < uses.Length; i++)
            Assert.True(Record.Exception(uses[i]) is ObjectDisposedException, $"use {i}: {Record.Exception(uses[i])?.Message}");
        // .NET's own streams that are closed say this, too.
        Assert.Throws<NotSupportedException>(() => stream.WriteAsync(buffer).AsTask().GetAwaiter().GetResult());
        Assert.Equal(3, list.Length);
        Assert.Equal(0, to.Length);
    }

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

    [Fact]
    public void A_stream_reads_what_a_list_has_after_cuts_growth_and_seeks()
    {
        Random random = Seeds.Random(1);
        for (int round = 0; round < LongRuns.Of(40, 1000); round++)
        {
            using SegmentList list = new();
            using Stream stream = list.AsStream();
            List<byte> model = [];
            byte[] piece = new byte[SegmentList.SpliceThreshold], buffer = new byte[20_000];
            random.NextBytes(piece);
            for (int step = 0; step < 80; step++)
            {
                switch (random.Next(6))
                {
                    case 0:
                        list.Splice(piece);
                        model.AddRange(piece);
                        break;
                    case 1:
                        int length = random.Next(6000);
                        list.Append(piece.AsSpan(0, length));
                        model.AddRange(piece.AsSpan(0, length));
                        break;
                    case 2 when random.Next(3) == 0:
                        int cut = random.Next(model.Count + 1);
                        list.Truncate(cut);
                        model.RemoveRange(cut, model.Count - cut);
                        break;
                    case 3:
                        stream.Position = random.Next(model.Count + 100);
                        break;
                    default:
                        int at = (int)Math.Min(stream.Position, model.Count);
                        int expected = Math.Min(random.Next(buffer.Length), model.Count - at);
                        Assert.Equal(expected, stream.Read(buffer, 0, expected));
                        Assert.True(model.GetRange(at, expected).SequenceEqual(buffer.Take(expected)));
                        break;
                }
            }
            Assert.Equal(0, stream.Read([]));
        }
    }
}
