namespace MemPrims.Channels.Tests;

/// <summary>The machine code of what publishes a ring's counts and of what looks at them: see MachineCode.</summary>
public class OrderTests
{
    [Fact]
    public void Counts_are_published_and_looked_at_in_order() => MachineCode.AssertOrders(Compile,
        ("Ring.RingWriter:Publish", "XAAc*", 1),
        ("Ring.RingWriter:Look", "Ac*", 0),
        ("Ring.RingReader:Look", "Ac*", 0),
        ("Ring.RingReader:TellTaken", "XAc*", 1),
        ("Ring.RingReader:TryTellSleep", "XAXc*", 2),
        ("Ring.RingMemory:TellEnd", "Xc*", 1),
        ("Ring.Futex:SleepOn", "c*XAA[Ac]*Sc*", 1));

    private static void Compile(string[] methods) => MachineCode.Compile(typeof(RingLayout).Assembly, methods);
}
