using MemPrims.Records;

namespace MemPrims.Fuzz;

/// <summary>The record of the files that are damaged.</summary>
[MappedRecord(0x7001)]
public readonly ref partial struct Visit
{
    [Field(0)]
    public partial long Count { get; set; }

    [Utf8(1, Max = 24)]
    public partial ReadOnlySpan<byte> Page { get; set; }

    [Field(2)]
    public partial bool IsOpen { get; set; }

    [Bytes(3, Max = 8)]
    public partial ReadOnlySpan<byte> Hash { get; set; }
}
