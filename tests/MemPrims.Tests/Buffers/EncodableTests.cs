using MemPrims.Buffers;

namespace MemPrims.Tests.Buffers;

// Two numbers, of eight bytes at most.
public readonly record struct Point(int X, int Y) : IEncodable<Point>
{
    public static int Bound(in Point value) => 8;

    public static void Encode(in Point value, ref UnsafeAppender to)
    {
        to.Write(value.X);
        to.Write(value.Y);
    }
}

public class EncodableTests
{
    private readonly ref struct Line(Point from, Point to, ReadOnlySpan<byte> name) : IEncodable<Line>
    {
        private readonly Point _from = from, _to = to;
        private readonly ReadOnlySpan<byte> _name = name;

        public static int Bound(in Line value) => Point.Bound(value._from) + Point.Bound(value._to) + 11 + value._name.Length;

        public static void Encode(in Line value, ref UnsafeAppender to)
        {
            to.Append(value._from);
            to.Append(value._to);
            to.WriteBlock(value._name);
        }
    }

    // Says one bound and writes another number of bytes; or throws, or uses the list.
    private readonly record struct Liar(int Says, int Writes, SegmentList? Uses = null) : IEncodable<Liar>
    {
        public static int Bound(in Liar value) => value.Says;

        public static void Encode(in Liar value, ref UnsafeAppender to)
        {
            if (value.Writes < 0) throw new FormatException("no");
            for (int i = 0; i < value.Writes; i++) to.Write((byte)i);
            value.Uses?.Append([1]);
        }
    }

    // Assigns to the appender that it is given one of another list, or none at all, alone or within another value.
    private readonly record struct Swapper(SegmentList? Other, bool IsInner) : IEncodable<Swapper>
    {
        public static int Bound(in Swapper value) => 8;

        public static void Encode(in Swapper value, ref UnsafeAppender to)
        {
            to.Write((short)1);
            if (value.IsInner) to.Append(value with { IsInner = false });
            else to = value.Other is null ? default : new(value.Other, 8);
        }
    }

    private readonly record struct Closer : IEncodable<Closer>
    {
        public static int Bound(in Closer value) => 4;

        public static void Encode(in Closer value, ref UnsafeAppender to)
        {
            to.Write((short)1);
            to.Dispose();
            to.Write((short)2);
        }
    }

    [Fact]
    public void Values_within_values_are_written_one_after_the_other()
    {
        SegmentList list = new();
        list.Append(new Line(new(1, 2), new(3, 4), "ab"u8));
        Appender to = new(list);
        to.Append(new Point(5, 6));
        to.Commit();
        UnsafeAppender reserved = new(list, 8);
        reserved.Append(new Point(7, 8));
        reserved.Commit();
        Assert.Equal("0100000002000000030000000400000002616205000000060000000700000008000000", Convert.ToHexString(list.ToArray()));
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(4, 5)]
    [InlineData(100, 300)]
    public void A_bound_that_was_too_small_is_an_error_that_names_the_type(int says, int writes)
    {
        SegmentList list = new();
        list.Append([1]);
        InvalidOperationException error = Assert.Throws<InvalidOperationException>(() => list.Append(new Liar(says, writes)));
        Assert.Contains(typeof(Liar).FullName!, error.Message);
        Assert.Contains($"{writes} bytes", error.Message);
        Assert.Equal(new byte[] { 1 }, list.ToArray());
        Assert.Contains(nameof(Liar), Assert.Throws<InvalidOperationException>(() =>
        {
            using Appender to = new(list);
            to.Write((byte)2);
            to.Append(new Liar(says, writes));
        }).Message);
        Assert.Equal(new byte[] { 1 }, list.ToArray());
        list.Append(new Point(1, 2));
        Assert.Equal(9, list.Length);
    }

    [Fact]
    public void At_the_very_end_of_a_segment_the_slack_takes_what_is_too_much()
    {
        SegmentList list = new();
        list.Append(new byte[4096 - 4]);
        Assert.Throws<InvalidOperationException>(() => list.Append(new Liar(4, 4 + SegmentPool.Slack)));
        Assert.Equal(4092, list.Length);
    }

    [Fact]
    public void Past_the_slack_the_process_ends_and_says_why()
    {
        ChildResult result = Child.Run(FarTooMuch);
        Assert.NotEqual(0, result.ExitCode);
        Assert.Contains(nameof(Liar), result.Error);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public void An_encoder_that_assigns_another_appender_is_an_error_that_names_the_type(bool isNone, bool isInner)
    {
        SegmentList list = new();
        list.Append([9]);
        Action<SegmentList, Swapper>[] ways =
        [
            static (list, value) => list.Append(in value),
            static (list, value) => { using Appender to = new(list); to.Append(in value); to.Commit(); },
            static (list, value) => { using ReservedAppender to = new(list, 100); to.Append(in value); to.Commit(); },
            static (list, value) => { using UnsafeAppender to = new(list, 100); to.Append(in value); to.Commit(); },
        ];
        foreach (Action<SegmentList, Swapper> way in ways)
        {
            SegmentList other = new();
            other.Append([7]);
            Swapper value = new(isNone ? null : other, isInner);
            string message = Assert.Throws<InvalidOperationException>(() => way(list, value)).Message;
            Assert.Contains($"{nameof(Swapper)}.Encode assigned another appender", message);
            Assert.Equal(new byte[] { 9 }, list.ToArray());
            other.Abandon();
            Assert.Equal(new byte[] { 7 }, other.ToArray());
        }
        list.Append(new Point(1, 2));
        Assert.Equal(9, list.Length);
    }

    [Fact]
    public void A_negative_bound_is_an_error_that_names_the_type()
    {
        SegmentList list = new();
        Assert.Contains(nameof(Liar), Assert.Throws<InvalidOperationException>(() => list.Append(new Liar(-1, 0))).Message);
    }

    [Fact]
    public void A_value_that_throws_or_uses_the_list_is_not_appended()
    {
        SegmentList list = new();
        list.Append([1]);
        Assert.Throws<FormatException>(() => list.Append(new Liar(4, -1)));
        Assert.Equal(new byte[] { 1 }, list.ToArray());
        Assert.Contains($"{nameof(Liar)}.Encode wrote to the list",
            Assert.Throws<InvalidOperationException>(() => list.Append(new Liar(4, 1, list))).Message);
        Assert.Equal(new byte[] { 1 }, list.ToArray());
        list.Append(new Point(1, 2));
        Assert.Equal(9, list.Length);
    }

    [Fact]
    public void A_value_that_throws_closes_the_appender_around_it()
    {
        SegmentList list = new();
        Appender to = new(list);
        to.Write((byte)1);
        try
        {
            to.Append(new Liar(4, -1));
            Assert.Fail("Nothing was thrown.");
        }
        catch (FormatException)
        {
        }
        try
        {
            to.Commit();
            Assert.Fail("It was published.");
        }
        catch (InvalidOperationException closed)
        {
            Assert.Contains("threw", closed.Message);
        }
        list.Append([2]);
        Assert.Equal(new byte[] { 2 }, list.ToArray());
    }

    [Fact]
    public void A_value_cannot_close_the_appender_around_it()
    {
        SegmentList list = new();
        list.Append(default(Closer));
        Assert.Equal("01000200", Convert.ToHexString(list.ToArray()));
    }

    private static void FarTooMuch(string[] _)
    {
        SegmentList list = new();
        list.Append(new byte[4096 - 4]);
        list.Append(new Liar(4, 5 + SegmentPool.Slack));
    }
}
