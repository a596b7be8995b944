namespace MemPrims.Records.Tests;

// What an indexing engine counts per index: the record of most tests.
[MappedRecord(0x1D57, Version = 2)]
public readonly ref partial struct IndexStats
{
    [Field(0)] public partial long LastEtag { get; set; }
    [Field(1)] public partial int Attempts { get; set; }
    [Utf8(2, Max = 128)] public partial ReadOnlySpan<byte> LastError { get; set; }
    [Field(3, Since = 2)] public partial long ReduceAttempts { get; set; }
}
