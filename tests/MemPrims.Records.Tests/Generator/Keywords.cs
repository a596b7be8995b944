namespace MemPrims.Records.Tests.Generator.@event.@class;

// Names that C# knows as keywords, and names that generated code once used itself.
public static partial class @struct
{
    [MappedRecord(0xE7E27)]
    public readonly ref partial struct @record
    {
        [Field(0)] public partial int @event { get; set; }
        [Field(1)] public partial long _slot { get; set; }
        [Utf8(2, Max = 8)] public partial ReadOnlySpan<byte> _bytes { get; set; }
    }
}

public class KeywordTests
{
    [Fact]
    public void Keywords_and_private_names_are_fields_like_others()
    {
        using TempFolder folder = new();
        using var file = MappedFile<@struct.@record>.Create(folder.File("keywords"));
        using (var tx = file.BeginWrite())
        {
            var r = tx.Append();
            (r.@event, r._slot) = (1, 2);
            r._bytes = "three"u8;
            tx.Commit();
        }
        Assert.Equal(2, file.Increment(0, @struct.@record.Fields.@event));
        Assert.Equal(9, file.Read(0, static r => r.@event + r._slot + r._bytes.Length));
    }
}
