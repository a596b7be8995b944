namespace MemPrims.Records.Tests;

public enum Phase : short
{
    New,
    Running = 7,
    Done = -1,
}

// A field of every kind.
[MappedRecord(7, Version = 3, ReadableFrom = 2)]
public readonly ref partial struct Everything
{
    [Field(0)] public partial sbyte I8 { get; set; }
    [Field(1)] public partial byte U8 { get; set; }
    [Field(2)] public partial short I16 { get; set; }
    [Field(3)] public partial ushort U16 { get; set; }
    [Field(4)] public partial int I32 { get; set; }
    [Field(5)] public partial uint U32 { get; set; }
    [Field(6)] public partial long I64 { get; set; }
    [Field(7)] public partial ulong U64 { get; set; }
    [Field(8)] public partial float F32 { get; set; }
    [Field(9)] public partial double F64 { get; set; }
    [Field(10)] public partial bool Flag { get; set; }
    [Field(11)] public partial Phase Phase { get; set; }
    [Field(12)] public partial Guid Guid { get; set; }
    [Field(13)] public partial DateTime Changed { get; set; }
    [Field(14)] public partial Int128 I128 { get; set; }
    [Utf8(15, Max = 20)] public partial ReadOnlySpan<byte> Name { get; set; }
    [Field(16, Length = 3)] public partial Span<int> Counts { get; }
    [Field(17, Length = 5, Since = 2)] public partial Span<bool> Flags { get; }
    [Bytes(18, Max = 9, Since = 2)] public partial ReadOnlySpan<byte> Blob { get; set; }
    [Field(19, Length = 2, Since = 3)] public partial Span<DateTime> Dates { get; }
    [Field(20, Length = 2, Since = 3)] internal partial Span<Phase> Phases { get; }
    [Utf8(21, Max = 12, Since = 3)] public partial ReadOnlySpan<byte> Note { get; set; }
    [Field(22, Since = 3)] public partial UInt128 U128 { get; set; }
}

// The same record as a program had it that was built at version 2; nested, as records may be.
public static partial class Before
{
    [MappedRecord(7, Version = 2, ReadableFrom = 1)]
    public readonly ref partial struct Everything
    {
        [Field(0)] public partial sbyte I8 { get; set; }
        [Field(1)] public partial byte U8 { get; set; }
        [Field(2)] public partial short I16 { get; set; }
        [Field(3)] public partial ushort U16 { get; set; }
        [Field(4)] public partial int I32 { get; set; }
        [Field(5)] public partial uint U32 { get; set; }
        [Field(6)] public partial long I64 { get; set; }
        [Field(7)] public partial ulong U64 { get; set; }
        [Field(8)] public partial float F32 { get; set; }
        [Field(9)] public partial double F64 { get; set; }
        [Field(10)] public partial bool Flag { get; set; }
        [Field(11)] public partial Phase Phase { get; set; }
        [Field(12)] public partial Guid Guid { get; set; }
        [Field(13)] public partial DateTime Changed { get; set; }
        [Field(14)] public partial Int128 I128 { get; set; }
        [Utf8(15, Max = 20)] public partial ReadOnlySpan<byte> Name { get; set; }
        [Field(16, Length = 3)] public partial Span<int> Counts { get; }
        [Field(17, Length = 5, Since = 2)] public partial Span<bool> Flags { get; }
        [Bytes(18, Max = 9, Since = 2)] public partial ReadOnlySpan<byte> Blob { get; set; }
    }
}
