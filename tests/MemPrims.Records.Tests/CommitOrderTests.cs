namespace MemPrims.Records.Tests;

/// <summary>
/// Two commits by stores beside a reader, on a processor that keeps no order by itself: a reader whose state stands has read what that
/// state's commit wrote, and something else where any one order is missing.
/// </summary>
public class CommitOrderTests
{
    // The transactions in the two meta slots, and the two copies of a page, whose bytes are the transaction that wrote them.
    private const int Meta = 0, Page = 2;

    private static readonly MemoryStep[] s_commits =
    [
        MemoryStep.Store(Page + 1, 1), MemoryStep.Barrier(MemoryOrder.Stores), MemoryStep.Store(Meta + 1, 1),
            MemoryStep.Barrier(MemoryOrder.Stores),
        MemoryStep.Store(Page, 2), MemoryStep.Barrier(MemoryOrder.Stores), MemoryStep.Store(Meta, 2),
    ];

    [Fact]
    public void What_is_read_of_a_state_that_stands_is_of_its_commit()
    {
        int[] transactions = [0, 1, 2];
        Assert.All(transactions, transaction => Assert.True(Litmus.Happens(s_commits, Read(transaction, page => page == transaction))));
        MemoryStep[][][] wrong = [.. transactions.Select(transaction => (MemoryStep[][])[s_commits, Read(transaction,
            page => page != transaction)])];
        Assert.All(wrong, threads => Assert.False(Litmus.Happens(threads)));
        Assert.Empty(Litmus.Unneeded(wrong));
    }

    /// <summary>A pin of transaction 0: the commit that writes over its copies waits, or comes first and is seen.</summary>
    [Fact]
    public void What_is_read_under_a_pin_is_of_the_state_that_stood()
    {
        Assert.True(Litmus.Happens(Pinned(page => page == 0)));
        MemoryStep[][] wrong = Pinned(page => page != 0);
        Assert.False(Litmus.Happens(wrong));
        Assert.Empty(Litmus.Unneeded(wrong));
    }

    // Commit 2, which takes the byte of even transactions; PinLock.Take with what it is for. The order of page and meta is not asked for:
    // a reader under a pin sees neither change.
    private static MemoryStep[][] Pinned(Func<int, bool> page)
    {
        const int free = 0, shared = 1, exclusive = 2, lockByte = Page + 2;
        return
        [
            [
                MemoryStep.Exchange(lockByte, free, exclusive), MemoryStep.Store(Page, 2), MemoryStep.Store(Meta, 2),
                MemoryStep.Exchange(lockByte, exclusive, free),
            ],
            [
                MemoryStep.Exchange(lockByte, free, shared), MemoryStep.Load(Meta, there => there == 0), MemoryStep.Load(Page, page),
                MemoryStep.Exchange(lockByte, shared, free),
            ],
        ];
    }

    // Meta.Read with its barrier, the page's active copy, and FileState.Stands.
    private static MemoryStep[] Read(int transaction, Func<int, bool> page)
    {
        int own = Meta + (transaction & 1), other = Meta + (~transaction & 1), before = Math.Max(transaction - 1, 0);
        return
        [
            MemoryStep.Load(own, there => there == transaction), MemoryStep.Barrier(MemoryOrder.Loads),
                MemoryStep.Load(Page + (transaction & 1), page),
            MemoryStep.Barrier(MemoryOrder.Loads), MemoryStep.Load(own, there => there == transaction), MemoryStep.Load(other,
                there => there == before),
        ];
    }
}
