namespace MemPrims.Channels.Tests;

/// <summary>
/// The ring's steps on a processor that keeps no order by itself, one step of RingWriter and RingReader after the other: what may not
/// happen does not, and does where any one order of them is missing.
/// </summary>
public class RingOrderTests
{
    private const int Produced = 0, Consumed = 1, Entry = 2, Sleeps = 3;

    // A ring with room for one entry, which is written a second time when the first was taken.
    private static MemoryStep[][] TwoEntries(Func<int, bool> first, Func<int, bool> second) =>
    [
        [
            MemoryStep.Store(Entry, 1), MemoryStep.Store(Produced, 1, MemoryOrder.Release),
            MemoryStep.Load(Consumed, value => value == 1, MemoryOrder.Acquire), MemoryStep.Store(Entry, 2), MemoryStep.Store(Produced,
                2, MemoryOrder.Release),
        ],
        [
            MemoryStep.Load(Produced, value => value >= 1, MemoryOrder.Acquire), MemoryStep.Load(Entry, first),
                MemoryStep.Store(Consumed, 1, MemoryOrder.Release),
            MemoryStep.Load(Produced, value => value >= 2, MemoryOrder.Acquire), MemoryStep.Load(Entry, second),
        ],
    ];

    // One end writes and then looks whether the other sleeps, which looks once more before it does.
    private static readonly MemoryStep[][] s_lostWakeUp =
    [
        [MemoryStep.Store(Produced, 1, MemoryOrder.Full), MemoryStep.Load(Sleeps, value => value == 0)],
        [MemoryStep.Store(Sleeps, 1, MemoryOrder.Full), MemoryStep.Load(Produced, value => value == 0)],
    ];

    [Fact]
    public void An_entry_that_is_counted_is_there_and_stays_until_it_was_taken()
    {
        Assert.True(Litmus.Happens(TwoEntries(value => value == 1, value => value == 2)));
        MemoryStep[][] wrongFirst = TwoEntries(value => value != 1, _ => true), wrongSecond = TwoEntries(_ => true, value => value != 2);
        Assert.False(Litmus.Happens(wrongFirst));
        Assert.False(Litmus.Happens(wrongSecond));
        Assert.Empty(Litmus.Unneeded(wrongFirst, wrongSecond));
    }

    [Fact]
    public void No_end_sleeps_while_the_other_believes_it_awake()
    {
        Assert.False(Litmus.Happens(s_lostWakeUp));
        Assert.Empty(Litmus.Unneeded(s_lostWakeUp));
        // A release and an acquire are not enough.
        Assert.True(Litmus.Happens([.. s_lostWakeUp.Select(thread => new[] { thread[0] with { Order = MemoryOrder.Release },
            thread[1] with { Order = MemoryOrder.Acquire } })]));
    }
}
