using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

/// <summary>The machine code of what publishes a tree's changes and of what looks whether there were any: see MachineCode.</summary>
public class OrderTests
{
    [Fact]
    public void Changes_are_published_and_looked_for_in_order() => MachineCode.AssertOrders(Compile,
        ("Pages.SortedTree:TryGet", "AAc*LAc*LAc*", 0),
        ("Pages.SortedTree:FailLookup", "AAc*LAc*", 0),
        ("Pages.SortedTree:Load", "[cA]*A[cA]*LA[cA]*", 0),
        ("Pages.SortedTree:LookAgain", "c*Ac*Ac*", 0),
        ("Pages.SortedTree:BeginChange", "cXc*SF", 1),
        ("Pages.SortedTree:EndChange", "c*SSS", 0),
        // A step reads the lengths of its entry. Key and value read none of the page, and look once.
        ("Pages.SortedCursor:Next", "Ac*LAc*", 0),
        ("Pages.SortedCursor:Previous", "Ac*LAc*", 0),
        ("Pages.SortedCursor:get_Key", "Ac*", 0),
        ("Pages.SortedCursor:get_Value", "Ac*", 0),
        ("Pages.SortedCursor:Seek", "c*(?:LAAc*)+", 0),
        ("Pages.SortedCursor:TryEnterNeighbour", "c*(?:LAAc*)+", 0),
        ("Pages.TreeWalk:Walk", "c*LAc*LAc*", 0),
        ("Pages.StoreUse:Leave", "S", 0));

    private static void Compile(string[] methods) => MachineCode.Compile(typeof(SortedTree).Assembly, methods);
}
