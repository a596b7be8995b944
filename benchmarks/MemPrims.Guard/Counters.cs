using MemPrims.Records;

namespace MemPrims.Guard;

/// <summary>The record of the rows: what an engine counts of an index.</summary>
[MappedRecord(0x6A2D)]
public readonly ref partial struct Counters
{
    [Field(0)] public partial long Etag { get; set; }
    [Field(1)] public partial int Attempts { get; set; }
    [Field(2)] public partial int Failures { get; set; }
    [Utf8(3, Max = 48)] public partial ReadOnlySpan<byte> Name { get; set; }
}
