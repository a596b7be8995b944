namespace MemPrims.Records.Tests.Faults;

// Commits without syncs, of which only changed lines are written: killed and failing at every operation, and over bytes that rot.
public class PiecewiseTests
{
    private const int Records = 90, Commits = 12;
    private static readonly MappedFileOptions s_noSync = new() { Durability = Durability.ProcessCrash };

    [Fact]
    public void A_kill_at_any_operation_leaves_the_state_before_or_after_and_the_next_writer_goes_on()
    {
        using CrashDisk disk = new();
        long[] first = Begin(disk);
        PiecewiseStorage whole = new(disk);
        Live(whole, seed: 1, ref first, ref first);
        int kills = 0, pieces = 0;
        for (int at = 0; at < whole.Operations; at++)
        {
            foreach (Fate fate in (ReadOnlySpan<Fate>)[Fate.CrashBefore, Fate.CrashMidway, Fate.CrashAfter])
            {
                long[] before = Begin(disk), after = before;
                int now = at;
                PiecewiseStorage storage = new(disk, operation =>
                {
                    if (operation is { Kind: OperationKind.Write, Bytes.Length: < PageHeader.PageBytes }) pieces++;
                    return operation.Number == now ? fate : Fate.Done;
                });
                try
                {
                    Live(storage, seed: 1, ref before, ref after);
                }
                catch (SimulatedCrash)
                {
                    kills++;
                }
                long[] found = Read(disk);
                Assert.True(found.AsSpan().SequenceEqual(before) || found.AsSpan().SequenceEqual(after), $"killed at {at}, {fate}");
                // What the dead writer left in the inactive copies is nobody's knowledge.
                Live(new(disk), seed: 2, ref found, ref after);
                Assert.Equal(found, Read(disk));
            }
        }
        Assert.True(kills > 200 && pieces > 1000, $"{kills} kills, {pieces} pieces");
    }

    [Fact]
    public void A_commit_that_fails_at_any_write_goes_through_when_tried_again()
    {
        using CrashDisk disk = new();
        int retried = 0;
        for (int at = 2; at < 40; at++)
        {
            long[] state = Begin(disk);
            int now = at;
            MappedFile<IndexStats> file = new(new PiecewiseStorage(disk, operation => operation.Number == now
                && operation.Offset >= CrashDisk.MetaEnd ? Fate.Fail : Fate.Done), s_noSync);
            Random random = Seeds.Random(at);
            for (int commit = 0; commit < Commits; commit++)
            {
                using WriteTransaction<IndexStats> tx = file.BeginWrite();
                Change(tx, state, random);
                try
                {
                    tx.Commit();
                }
                catch (MappedFileException e) when (e.Reason == MappedFileReason.IoError)
                {
                    retried++;
                    // Given up half of the time: the next transaction finds copies of which nobody knows what is in them.
                    if ((at & 1) != 0) state = Read(disk);
                    else tx.Commit();
                }
                Assert.Equal(state, Read(disk));
            }
        }
        Assert.True(retried > 20, $"{retried} retried");
    }

    [Theory, InlineData(true), InlineData(false)]
    public unsafe void Bytes_that_rot_are_not_sealed_anew(bool inTheActiveCopy)
    {
        const int changed = 0, rotten = 20;
        using CrashDisk disk = new();
        Begin(disk);
        MappedFile<IndexStats> file = new(new PiecewiseStorage(disk), s_noSync);
        for (int commit = 0; commit < 3; commit++) Touch();
        int copy = new IndependentReader(disk.View.ToArray()).IsActiveB(0) ? 1 : 0;
        int offset = (int)PageHeader.OffsetOf(MetaHeader.MinSlotBytes, 0, inTheActiveCopy ? copy
            : copy ^ 1) + PageHeader.Size + rotten * IndexStats.Layout.RecordBytes;
        disk.Cache[offset] ^= 4;
        // What rots in the active copy is no part of the next one, which was whole before, and comes back to light in the one after.
        if (inTheActiveCopy)
        {
            Touch();
            Read(disk);
        }
        Touch();
        MappedFileException damage = Assert.Throws<MappedFileException>(() => Read(disk));
        Assert.Equal(MappedFileReason.DamagedPage, damage.Reason);

        void Touch()
        {
            using WriteTransaction<IndexStats> tx = file.BeginWrite();
            tx.Increment(changed, IndexStats.Fields.Attempts);
            tx.Commit();
        }
    }

    [Fact]
    public void A_page_found_damaged_is_no_part_of_the_commit()
    {
        using CrashDisk disk = new();
        Begin(disk);
        disk.View[new IndependentReader(disk.View.ToArray()).PageAt(1) + 500] ^= 1;
        MappedFile<IndexStats> file = new(new PiecewiseStorage(disk), s_noSync);
        using WriteTransaction<IndexStats> tx = file.BeginWrite();
        tx.Increment(0, IndexStats.Fields.Attempts);
        Assert.Equal(MappedFileReason.DamagedPage,
            Assert.Throws<MappedFileException>(() => tx.Increment(30, IndexStats.Fields.Attempts)).Reason);
        tx.Commit();
        MappedFile<IndexStats> after = new(new CrashStorage(disk));
        Assert.Equal(MappedFileReason.DamagedPage,
            Assert.Throws<MappedFileException>(() => after.Read(30, static s => s.Attempts)).Reason);
    }

    [Fact]
    public void Where_power_may_be_lost_pages_are_written_whole()
    {
        using CrashDisk disk = new();
        long[] before = Begin(disk), after = before;
        PiecewiseStorage storage = new(disk, operation =>
        {
            if (operation is { Kind: OperationKind.Write, Offset: >= CrashDisk.MetaEnd }) Assert.Equal(PageHeader.PageBytes,
                operation.Bytes.Length);
            return Fate.Done;
        });
        Live(storage, seed: 3, ref before, ref after, MappedFileOptions.Default);
        Assert.Equal(after, Read(disk));
    }

    private static long[] Begin(CrashDisk disk)
    {
        disk.Clear();
        MappedFile<IndexStats> file = MappedFile<IndexStats>.Create(new CrashStorage(disk), Small.Slots);
        file.AppendNew(Records);
        return new long[Records];
    }

    private static void Live(PiecewiseStorage storage, int seed, ref long[] before, ref long[] after, MappedFileOptions? options = null)
    {
        MappedFile<IndexStats> file = new(storage, options ?? s_noSync);
        Random random = Seeds.Random(seed);
        for (int commit = 0; commit < Commits; commit++)
        {
            using WriteTransaction<IndexStats> tx = file.BeginWrite();
            after = [.. before];
            Change(tx, after, random);
            tx.Commit();
            before = after;
        }
    }

    private static void Change(WriteTransaction<IndexStats> tx, long[] state, Random random)
    {
        for (int change = random.Next(1, 5); change > 0; change--)
        {
            int id = random.Next(Records);
            IndexStats s = tx[id];
            s.LastEtag = state[id] = random.NextInt64();
            if ((change & 1) != 0) s.LastError = random.Next(2) == 0 ? "short"u8 : "another, and longer, error"u8;
        }
    }

    private static long[] Read(CrashDisk disk)
    {
        MappedFile<IndexStats> file = new(new CrashStorage(disk));
        file.Verify();
        _ = new IndependentReader(disk.View[..(int)disk.Length].ToArray());
        return [.. Enumerable.Range(0, file.Count).Select(i => file.Read(i, static s => s.LastEtag))];
    }
}
