namespace MemPrims.Records.Tests;

// A struct of numbers, as a user would declare one.
public readonly record struct Money(long Units, int Currency, short Decimals, Phase Kind);

public struct Range3
{
    public Guid Id;
    public Money Low, High;
    public Half A, B, C, D;
}

public readonly record struct Rgb(byte Red, byte Green, byte Blue);

[MappedRecord(0x57C7, Version = 2, ReadableFrom = 1)]
public readonly ref partial struct Priced
{
    [Field(0)] public partial Rgb Colour { get; set; }
    [Field(1)] public partial Money Price { get; set; }
    [Field(2, Length = 3)] public partial Span<Money> Steps { get; }
    [Field(3, Since = 2)] public partial Range3 Range { get; set; }
    [Field(4, Since = 2)] public partial Rgb? Border { get; set; }
    [Field(5, Since = 2, Length = 5)] public partial Span<Rgb> Palette { get; }
    [Utf8(6, Max = 20, Since = 2)] public partial string Name { get; set; }
}

public static partial class Before
{
    [MappedRecord(0x57C7)]
    public readonly ref partial struct Priced
    {
        [Field(0)] public partial Rgb Colour { get; set; }
        [Field(1)] public partial Money Price { get; set; }
        [Field(2, Length = 3)] public partial Span<Money> Steps { get; }
    }
}

// Structs of numbers as fields: one value, an array, a nullable, one within another, and in an older file.
public class StructTests
{
    private static readonly Money s_price = new(-5, 978, 2, Phase.Done);
    private static readonly Range3 s_range = new()
    {
        Id = new("00112233445566778899aabbccddeeff"), Low = s_price, High = s_price with { Units = 9 }, D = (Half)1.5,
    };

    [Fact]
    public unsafe void Structs_are_read_back_and_lie_as_the_format_page_says()
    {
        Assert.Equal((3, 16, 56), (sizeof(Rgb), sizeof(Money), sizeof(Range3)));
        using TempFolder folder = TempFolder.With("priced", out string path);
        using (var file = MappedFile<Priced>.Create(path, Small.Slots))
        {
            using (var tx = file.BeginWrite())
            {
                tx.Append();
                Priced p = tx.Append();
                (p.Colour, p.Price, p.Range, p.Border, p.Name) = (new(1, 2, 3), s_price, s_range, new Rgb(4, 5, 6), "n");
                p.Steps[2] = s_price;
                p.Palette[4] = new(7, 8, 9);
                p.Price = p.Price with { Units = p.Price.Units + 1 };
                Assert.Equal(-4, p.Price.Units);
                tx.Commit();
            }
            Assert.Equal((new Rgb(1, 2, 3), s_price with { Units = -4 }, s_range.Id, s_range.High, new Rgb(4, 5, 6)),
                file.Read(1, static p => (p.Colour, p.Price, p.Range.Id, p.Range.High, p.Border!.Value)));
            Assert.Equal((s_price, new Rgb(7, 8, 9), new Rgb()), file.Read(1, static p => (p.Steps[2], p.Palette[4], p.Palette[3])));
            Assert.Equal((new Rgb(), null, default(Money)), file.Read(0, static p => (p.Colour, p.Border, p.Price)));
            file.Verify();
        }
        // 0: three bytes at 0. 1: aligned by the long in it. 2: three of them. 3: aligned by the longs too. 4: bytes. 5: bytes. 6: by 4.
        ReadOnlySpan<byte> record = new IndependentReader(File.ReadAllBytes(path)).Record(1);
        int money = sizeof(Money), range = 8 + money * 4;
        Assert.Equal([1, 2, 3], record[..3].ToArray());
        Assert.Equal((-4, 978), (BitConverter.ToInt64(record[8..]), BitConverter.ToInt32(record[16..])));
        Assert.Equal(-5, BitConverter.ToInt64(record[(8 + 3 * money)..]));
        Assert.Equal(s_range.Id, new Guid(record.Slice(range, 16)));
        Assert.Equal(9, BitConverter.ToInt64(record[(range + 16 + money)..]));
        Assert.Equal([4, 5, 6, 1], record.Slice(range + sizeof(Range3), 4).ToArray());
        Assert.Equal([7, 8, 9], record.Slice(range + sizeof(Range3) + 4 + 12, 3).ToArray());
    }

    [Fact]
    public void A_file_of_an_older_version_gives_defaults_and_is_upgraded()
    {
        using TempFolder folder = TempFolder.With("priced", out string path);
        using (var file = MappedFile<Before.Priced>.Create(path, Small.Slots))
        {
            using var tx = file.BeginWrite();
            Before.Priced p = tx.Append();
            p.Price = s_price;
            tx.Commit();
        }
        using (var file = MappedFile<Priced>.OpenRead(path)) Check(file);
        MappedFiles.Upgrade<Priced>(path);
        using (var file = MappedFile<Priced>.Open(path)) Check(file);

        static void Check(MappedFile<Priced> file) => Assert.Equal((s_price, default(Guid), null, new Rgb(), ""),
            file.Read(0, static p => (p.Price, p.Range.Id, p.Border, p.Palette[0], p.Name)));
    }
}
