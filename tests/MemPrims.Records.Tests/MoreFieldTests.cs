using System.Text;

namespace MemPrims.Records.Tests;

[MappedRecord(0xF1E1D, Version = 2, ReadableFrom = 1)]
public readonly ref partial struct Typed
{
    [Field(0)] public partial decimal Price { get; set; }
    [Field(1)] public partial TimeSpan Took { get; set; }
    [Field(2)] public partial DateOnly Day { get; set; }
    [Field(3)] public partial TimeOnly Time { get; set; }
    [Field(4)] public partial DateTimeOffset Seen { get; set; }
    [Field(5)] public partial Half Share { get; set; }
    [Field(6)] public partial int? Limit { get; set; }
    [Utf8(7, Max = 16)] public partial string Name { get; set; }
    [Field(8, Length = 2)] public partial Span<TimeSpan> Times { get; }
    [Field(9, Length = 3)] public partial Span<Half> Shares { get; }
    [Field(10, Since = 2)] public partial decimal? Discount { get; set; }
    [Field(11, Since = 2)] public partial bool? Sure { get; set; }
    [Field(12, Since = 2)] public partial Phase? Phase { get; set; }
    [Field(13, Since = 2)] public partial DateTimeOffset? Until { get; set; }
    [Utf8(14, Max = 8, Since = 2)] public partial string @class { get; set; }
}

public static partial class Before
{
    [MappedRecord(0xF1E1D)]
    public readonly ref partial struct Typed
    {
        [Field(0)] public partial decimal Price { get; set; }
        [Field(1)] public partial TimeSpan Took { get; set; }
        [Field(2)] public partial DateOnly Day { get; set; }
        [Field(3)] public partial TimeOnly Time { get; set; }
        [Field(4)] public partial DateTimeOffset Seen { get; set; }
        [Field(5)] public partial Half Share { get; set; }
        [Field(6)] public partial int? Limit { get; set; }
        [Utf8(7, Max = 16)] public partial string Name { get; set; }
        [Field(8, Length = 2)] public partial Span<TimeSpan> Times { get; }
        [Field(9, Length = 3)] public partial Span<Half> Shares { get; }
    }
}

// The types that are stored in other bits than they have in memory, nullable ones, and strings.
public class MoreFieldTests
{
    private static readonly DateTimeOffset s_seen = new(2026, 1, 2, 3, 4, 5, TimeSpan.FromMinutes(-210));

    [Fact]
    public void Each_type_is_read_back_and_lies_as_the_format_page_says()
    {
        using TempFolder folder = TempFolder.With("typed", out string path);
        using (var file = MappedFile<Typed>.Create(path))
        {
            using (var tx = file.BeginWrite())
            {
                Typed t = tx.Append();
                (t.Price, t.Took, t.Day, t.Time, t.Seen, t.Share, t.Limit) = (-123.4500m, TimeSpan.FromTicks(-7), new(2026, 3, 4),
                    new(23, 59), s_seen, (Half)0.5, -5);
                (t.Name, t.@class, t.Discount, t.Sure, t.Phase, t.Until) = ("grüß", "c", decimal.MaxValue, false, Tests.Phase.Done,
                    DateTimeOffset.MaxValue);
                (t.Times[1], t.Shares[2]) = (TimeSpan.MaxValue, Half.MaxValue);
                Assert.Equal((-123.4500m, "grüß", s_seen, -5, false), (t.Price, t.Name, t.Seen, t.Limit, t.Sure));
                tx.Append();
                Typed changed = tx.Append();
                (changed.Limit, changed.Discount, changed.Name) = (1, 2, "x");
                (changed.Limit, changed.Discount, changed.Name) = (null, null, "");
                tx.Commit();
            }
            file.Verify();
            Assert.True(file.Read(0, static t =>
            {
                Assert.Equal("-123.4500", t.Price.ToString(System.Globalization.CultureInfo.InvariantCulture));
                Assert.Equal((-7L, new DateOnly(2026, 3, 4), new TimeOnly(23, 59)), (t.Took.Ticks, t.Day, t.Time));
                Assert.Equal((s_seen, s_seen.Offset), (t.Seen, t.Seen.Offset));
                Assert.Equal(((Half)0.5, -5, "grüß", "c"), (t.Share, t.Limit, t.Name, t.@class));
                Assert.Equal("grüß"u8.ToArray(), t.NameUtf8.ToArray());
                Assert.Equal((decimal.MaxValue, false, Tests.Phase.Done, DateTimeOffset.MaxValue), (t.Discount, t.Sure, t.Phase, t.Until));
                Assert.Equal((TimeSpan.MaxValue, Half.MaxValue), (t.Times[1], t.Shares[2]));
                return true;
            }));
            for (int id = 1; id <= 2; id++)
            {
                Assert.True(file.Read(id, static t =>
                    t is { Price: 0, Limit: null, Discount: null, Sure: null, Phase: null, Until: null, Name: "" }
                    && t.Day == default && t.Seen == default));
            }
        }
        IndependentReader reader = new(File.ReadAllBytes(path));
        // 0 decimal, 16 span, 24 day, 32 time, 40 zoned, 56 half, 60 i32?, 68 name, 72 spans, 88 halves, 96 decimal?, 113 bool?, 116 i16?
        ReadOnlySpan<byte> record = reader.Record(0);
        Assert.Equal((1234500, 0, 0, 1 << 31 | 4 << 16), (I32(record, 0), I32(record, 4), I32(record, 8), I32(record, 12)));
        Assert.Equal((-7L, new DateOnly(2026, 3, 4).DayNumber), (BitConverter.ToInt64(record[16..]), I32(record, 24)));
        Assert.Equal((s_seen.UtcTicks, -210L), (BitConverter.ToInt64(record[40..]), BitConverter.ToInt64(record[48..])));
        Assert.Equal(((Half)0.5, -5, 1), (BitConverter.ToHalf(record[56..]), I32(record, 60), (int)record[64]));
        Assert.Equal("grüß", Encoding.UTF8.GetString(reader.Variable(0, 68)));
        Assert.Equal((1, 0, 1), ((int)record[112], (int)record[113], (int)record[114]));
        Assert.Equal((short)-1, BitConverter.ToInt16(record[116..]));
        // Nothing of a value that was taken back is left.
        Assert.Equal(-1, reader.Record(2).IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void A_nullable_field_that_a_record_is_older_than_is_null()
    {
        using TempFolder folder = TempFolder.With("typed", out string path);
        using (var file = MappedFile<Before.Typed>.Create(path))
        {
            using var tx = file.BeginWrite();
            Before.Typed t = tx.Append();
            (t.Limit, t.Name) = (3, "old");
            tx.Commit();
        }
        for (int upgraded = 0; upgraded < 2; upgraded++)
        {
            using (var file = MappedFile<Typed>.Open(path))
                Assert.True(file.Read(0, static t =>
                    t is { Limit: 3, Name: "old", Discount: null, Sure: null, Phase: null, Until: null, @class: "" }));
            MappedFiles.Upgrade<Typed>(path);
        }
    }

    [Fact]
    public void A_string_that_does_not_fit_or_is_no_text_changes_nothing()
    {
        using TempFolder folder = new();
        using var file = MappedFile<Typed>.Create(folder.File("typed"));
        using var tx = file.BeginWrite();
        Typed t = tx.Append();
        t.Name = "0123456789abcdef";
        foreach (string wrong in (string[])["0123456789abcdef0", "\ud800", "a\udc00b", new string('x', 5000)])
            Assert.Throws<ArgumentException>(() => { Typed r = tx[0]; r.Name = wrong; });
        Assert.Throws<ArgumentNullException>(() => { Typed r = tx[0]; r.Name = null!; });
        Assert.Equal("0123456789abcdef", t.Name);
    }

    [Fact]
    public void Bits_that_are_no_value_are_refused_and_all_that_are_come_back()
    {
        Assert.False(StoredDecimal.TryRead(UInt128.One << 96, out _));
        Assert.False(StoredDecimal.TryRead((UInt128)29 << 112, out _));
        Assert.False(StoredDateOnly.TryRead((uint)DateOnly.MaxValue.DayNumber + 1, out _));
        Assert.False(StoredTimeOnly.TryRead((ulong)TimeSpan.TicksPerDay, out _));
        Assert.False(StoredDateTimeOffset.TryRead(new(0, (ulong)DateTime.MaxValue.Ticks + 1), out _));
        Assert.False(StoredDateTimeOffset.TryRead(new(841, (ulong)s_seen.Ticks), out _));
        Assert.False(StoredDateTimeOffset.TryRead(new(unchecked((ulong)-1L), 0), out _));
        foreach (decimal value in (decimal[])[0, decimal.MinValue, decimal.MaxValue, -0.0000000000000000000000000001m, 1.10m])
        {
            Assert.True(StoredDecimal.TryRead(StoredDecimal.BitsOf(value), out decimal read));
            Assert.Equal(decimal.GetBits(value), decimal.GetBits(read));
        }
        foreach (DateTimeOffset value in (DateTimeOffset[])[default, DateTimeOffset.MaxValue, s_seen,
            new(2026, 1, 1, 0, 0, 0, TimeSpan.FromHours(14))])
        {
            Assert.True(StoredDateTimeOffset.TryRead(StoredDateTimeOffset.BitsOf(value), out DateTimeOffset read));
            Assert.Equal((value, value.Offset), (read, read.Offset));
        }
        Assert.True(StoredDateOnly.TryRead(StoredDateOnly.BitsOf(DateOnly.MaxValue), out DateOnly day) && day == DateOnly.MaxValue);
        Assert.True(StoredTimeOnly.TryRead(StoredTimeOnly.BitsOf(TimeOnly.MaxValue), out TimeOnly time) && time == TimeOnly.MaxValue);
    }

    private static int I32(ReadOnlySpan<byte> record, int at) => BitConverter.ToInt32(record[at..]);
}
