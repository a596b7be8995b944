using MemPrims.Records;

namespace DocumentStore.Index;

/// <summary>The statistics of an index: written by the worker, read by anybody beside it, without a lock.</summary>
[MappedRecord(0xD0C5)]
internal readonly ref partial struct IndexStatistics
{
    [Field(0)] public partial long Entries { get; set; }
    [Field(1)] public partial long Position { get; set; }
    [Field(2)] public partial long Failed { get; set; }
    [Field(3)] public partial DateTime Changed { get; set; }
    [Field(4)] public partial int Rebuilt { get; set; }
    [Utf8(5, Max = 128)] public partial string Name { get; set; }
    [Utf8(6, Max = 256)] public partial string LastError { get; set; }
}
