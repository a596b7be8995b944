namespace MemPrims.Records.Tests.Faults;

// The first to the last write or sync of a commit fails, once, and the process goes on.
public class FailureTests
{
    [Fact]
    public void A_failed_operation_loses_nothing_and_a_failed_sync_or_meta_write_poisons()
    {
        int poisoned = 0, recovered = 0;
        for (int at = 0; at < 40; at++)
        {
            foreach (Fate fate in (ReadOnlySpan<Fate>)[Fate.Fail, Fate.FailFull])
            {
                using CrashDisk disk = new();
                MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots);
                StepFilter steps = new(Step.None, disk);
                Operation? failed = null;
                Step step = Step.None;
                CrashStorage storage = new(disk, operation =>
                {
                    Step recognised = steps.Recognise(operation);
                    if (operation.Number != at) return Fate.Done;
                    (failed, step) = (operation, recognised);
                    return fate;
                });
                using MappedFile<Cell> file = new(storage);
                long committed = 0;
                bool dead = false;
                for (int commit = 0; commit < 5; commit++)
                {
                    try
                    {
                        using WriteTransaction<Cell> tx = file.BeginWrite();
                        Cell cell = tx.Append();
                        cell.Value = commit;
                        try
                        {
                            tx.Commit();
                        }
                        catch (MappedFileException e) when (e.Reason is MappedFileReason.IoError or MappedFileReason.Full
                            && failed is { } f && f.Kind != OperationKind.Sync && step == Step.SyncBeforeMeta)
                        {
                            // A page or the growth: nothing happened, and the same transaction goes through when tried again.
                            Assert.False(dead);
                            tx.Commit();
                            recovered++;
                        }
                        committed++;
                        Assert.False(dead);
                    }
                    catch (MappedFileException e)
                    {
                        Assert.Equal(MappedFileReason.Poisoned, e.Reason);
                        Assert.Contains("simulated", e.Message);
                        dead = true;
                        poisoned++;
                        // Readers go on.
                        Assert.InRange(file.Count, committed, committed + 1);
                    }
                }
                // Whatever is written after the failure could make a state of what never reached the disk.
                int operations = storage.Operations;
                file.Dispose();
                if (dead) Assert.Equal(operations, storage.Operations);
                // What was acknowledged is on the platter, whatever the failure did.
                disk.LosePower(0UL);
                using MappedFile<Cell> after = new(new CrashStorage(disk));
                after.Verify();
                Assert.InRange(after.Count, committed, committed + 1);
                for (int i = 0; i < committed; i++) Assert.Equal(i, after.Read(i, static cell => cell.Value));
            }
        }
        Assert.True(poisoned > 30 && recovered > 8, $"{poisoned} poisoned, {recovered} recovered");
    }

    [Fact]
    public void A_writer_that_cannot_make_itself_the_writer_writes_nothing_and_the_next_one_can()
    {
        // Zeros into the torn slot, sync, the winning meta again, sync.
        for (int at = 0; at < 4; at++)
        {
            foreach (Fate fate in (ReadOnlySpan<Fate>)[Fate.Fail, Fate.FailFull])
            {
                using CrashDisk disk = new();
                MappedFile<Cell> made = MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots);
                using (WriteTransaction<Cell> tx = made.BeginWrite())
                {
                    tx.Append();
                    tx.Commit();
                }
                disk.Write(20, [0xEE]);
                CrashStorage storage = new(disk, operation => operation.Number == at ? fate : Fate.Done);
                MappedFile<Cell> file = new(storage);
                for (int attempt = 0; attempt < 2; attempt++)
                    Assert.Equal(MappedFileReason.Poisoned, Assert.Throws<MappedFileException>(file.BeginWrite).Reason);
                Assert.Equal(0, file.Read(0, static c => c.Value));
                file.Dispose();
                Assert.Equal(at + 1, storage.Operations);
                MappedFile<Cell> next = new(new CrashStorage(disk));
                Assert.Equal(1, next.Increment(0, Cell.Fields.Value));
            }
        }
    }

    [Theory, InlineData(false), InlineData(true)]
    public void A_failure_of_any_kind_from_the_meta_on_poisons(bool metaIsWritten)
    {
        using CrashDisk disk = new();
        MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots).Dispose();
        StepFilter steps = new(Step.None, disk);
        bool fails = false;
        CrashStorage storage = new(disk, operation => steps.Recognise(operation) == Step.SyncAfterMeta && fails
            && metaIsWritten == (operation.Kind == OperationKind.Sync)
            ? throw (metaIsWritten ? new OutOfMemoryException("simulated") : (Exception)new UnauthorizedAccessException("simulated"))
            : Fate.Done);
        using MappedFile<Cell> file = new(storage);
        using (WriteTransaction<Cell> made = file.BeginWrite())
        {
            made.Append();
            made.Commit();
        }
        using WriteTransaction<Cell> tx = file.BeginWrite();
        tx.Increment(0, Cell.Fields.Value);
        fails = true;
        Assert.Contains("simulated", Assert.ThrowsAny<Exception>(tx.Commit).ToString());
        fails = false;
        int operations = storage.Operations;
        // The meta may be there by now: another try would write over the page that it calls active.
        Assert.Equal(MappedFileReason.Poisoned, Assert.Throws<MappedFileException>(tx.Commit).Reason);
        tx.Dispose();
        Assert.Equal(MappedFileReason.Poisoned, Assert.Throws<MappedFileException>(file.BeginWrite).Reason);
        file.Dispose();
        Assert.Equal(operations, storage.Operations);
    }
}
