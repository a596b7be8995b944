namespace MemPrims.Records.Tests;

/// <summary>The machine code of what publishes a commit or a log's end and of what validates a read: see MachineCode.</summary>
public class OrderTests
{
    [Fact]
    public void Commits_are_published_and_reads_validated_in_order() => MachineCode.AssertOrders(Compile,
        ("Reading.FileState:Stands", "LAA", 0),
        ("Reading.RecordFile:Latest", "c*LAAc*", 0),
        ("Format.Meta:Read", "[cA]*cL[cA]*", 0),
        ("Storage.InPlaceStores:TryStore", "[Ac]*FcFc*", 0),
        ("Writing.WriteBatch:Enter", "c*SAc*", 0),
        ("Writing.WriteBatch:Fetch", "c*Sc*SS", 0),
        ("Log.LogSegment:Reach", "Ac+Sc+", 0),
        ("Log.LogWriter:HandOver", "c*Sc*", 0),
        ("Log.LogEnd:get_End", "A", 0));

    private static void Compile(string[] methods) => MachineCode.Compile(typeof(Meta).Assembly, methods);
}
