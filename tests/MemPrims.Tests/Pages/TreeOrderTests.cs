namespace MemPrims.Tests.Pages;

/// <summary>
/// A change of a tree beside a reader, on a processor that keeps no order by itself: the reader never takes for one tree what two states
/// have given it, and does where any one order is missing.
/// </summary>
public class TreeOrderTests
{
    // The header's number of changes, and two words of pages, which are as new as that number before and after a change.
    private const int Changes = 0, One = 1, Other = 2;

    private static readonly Step[] s_change =
    [
        Step.Store(Changes, 1), Step.Barrier(Order.Stores), Step.Store(One, 2), Step.Store(Other, 2),
        Step.Store(Changes, 2, Order.Release),
    ];

    [Fact]
    public void What_is_read_beside_a_change_is_of_one_state()
    {
        foreach (int state in (int[])[0, 2])
            Assert.True(Litmus.Happens(s_change, Read(state, value => value == state, value => value == state)));
        Step[][][] wrong = [.. from state in (int[])[0, 2]
            from isOne in (bool[])[true, false]
            select (Step[][])[s_change, Read(state, value => !isOne || value != state, value => isOne || value != state)]];
        Assert.All(wrong, threads => Assert.False(Litmus.Happens(threads)));
        Assert.Empty(Litmus.Unneeded(wrong));
    }

    // The last look needs no order of its own, only the barrier before it. It is volatile for the compiler.
    private static Step[] Read(int state, Func<int, bool> one, Func<int, bool> other) =>
    [
        Step.Load(Changes, value => value == state, Order.Acquire), Step.Load(One, one), Step.Load(Other, other),
        Step.Barrier(Order.Loads), Step.Load(Changes, value => value == state),
    ];
}
