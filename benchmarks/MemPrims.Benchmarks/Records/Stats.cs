using System.Text.Json.Serialization;
using MemPrims.Records;

namespace MemPrims.Benchmarks.Records;

/// <summary>Index statistics as an engine kept them: 8 numbers and 2 strings, about 200 bytes.</summary>
[MappedRecord(0x57A7)]
public readonly ref partial struct Stats
{
    [Field(0)] public partial long LastEtag { get; set; }
    [Field(1)] public partial long LastReducedEtag { get; set; }
    [Field(2)] public partial long ChangedTicks { get; set; }
    [Field(3)] public partial long Bytes { get; set; }
    [Field(4)] public partial int Attempts { get; set; }
    [Field(5)] public partial int Successes { get; set; }
    [Field(6)] public partial int Failures { get; set; }
    [Field(7)] public partial int Touches { get; set; }
    [Utf8(8, Max = 48)] public partial ReadOnlySpan<byte> Name { get; set; }
    [Utf8(9, Max = 80)] public partial ReadOnlySpan<byte> LastError { get; set; }
}

/// <summary>The same as a JSON document.</summary>
public sealed class StatsDocument
{
    public long LastEtag { get; set; }
    public long LastReducedEtag { get; set; }
    public long ChangedTicks { get; set; }
    public long Bytes { get; set; }
    public int Attempts { get; set; }
    public int Successes { get; set; }
    public int Failures { get; set; }
    public int Touches { get; set; }
    public string Name { get; set; } = "";
    public string LastError { get; set; } = "";

    public static StatsDocument Number(int id) => new()
    {
        LastEtag = 1_000_000 + id * 37L,
        LastReducedEtag = 900_000 + id * 31L,
        ChangedTicks = 638_000_000_000_000_000 + id * 1_000_003L,
        Bytes = id * 4096L,
        Attempts = id % 100_000,
        Successes = id % 90_000,
        Failures = id % 17,
        Touches = id % 1000,
        Name = $"Orders/ByCompany/{id:000000}",
        LastError = id % 3 == 0 ? "" : $"Could not index document orders/{id}: no such field",
    };

    public void WriteTo(Stats s)
    {
        s.LastEtag = LastEtag;
        s.LastReducedEtag = LastReducedEtag;
        s.ChangedTicks = ChangedTicks;
        s.Bytes = Bytes;
        s.Attempts = Attempts;
        s.Successes = Successes;
        s.Failures = Failures;
        s.Touches = Touches;
        s.Name = System.Text.Encoding.UTF8.GetBytes(Name);
        s.LastError = System.Text.Encoding.UTF8.GetBytes(LastError);
    }
}

[JsonSerializable(typeof(StatsDocument))]
public sealed partial class StatsJson : JsonSerializerContext;

/// <summary>The record as a plain struct: what LMDB keeps where no JSON is asked for.</summary>
public unsafe struct StatsStruct
{
    public long LastEtag, LastReducedEtag, ChangedTicks, Bytes;
    public int Attempts, Successes, Failures, Touches;
    public fixed byte Name[52];
    public fixed byte LastError[84];
}
