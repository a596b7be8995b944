namespace MemPrims.Tests.Pages;

/// <summary>
/// A change of a tree beside a reader, on a processor that keeps no order by itself: the reader never takes for one tree what two states
/// have given it, and does where any one order is missing.
/// </summary>
public class TreeOrderTests
{
    // The header's number of changes, and two words of pages, which are as new as that number before and after a change.
    private const int Changes = 0, One = 1, Other = 2;

    private static readonly MemoryStep[] s_change =
    [
        MemoryStep.Store(Changes, 1), MemoryStep.Barrier(MemoryOrder.Stores), MemoryStep.Store(One, 2), MemoryStep.Store(Other, 2),
        MemoryStep.Store(Changes, 2, MemoryOrder.Release),
    ];

    [Fact]
    public void What_is_read_beside_a_change_is_of_one_state()
    {
        foreach (int state in (int[])[0, 2])
            Assert.True(Litmus.Happens(s_change, Read(state, value => value == state, value => value == state)));
        MemoryStep[][][] wrong = [.. from state in (int[])[0, 2]
            from isOne in (bool[])[true, false]
            select (MemoryStep[][])[s_change, Read(state, value => !isOne || value != state, value => isOne || value != state)]];
        Assert.All(wrong, threads => Assert.False(Litmus.Happens(threads)));
        Assert.Empty(Litmus.Unneeded(wrong));
    }

    // The last look needs no order of its own, only the barrier before it. It is volatile for the compiler.
    private static MemoryStep[] Read(int state, Func<int, bool> one, Func<int, bool> other) =>
    [
        MemoryStep.Load(Changes, value => value == state, MemoryOrder.Acquire), MemoryStep.Load(One, one), MemoryStep.Load(Other, other),
        MemoryStep.Barrier(MemoryOrder.Loads), MemoryStep.Load(Changes, value => value == state),
    ];
}
