namespace MemPrims.Records.Tests.Faults;

// When a reader may believe what it read: the cases of the rule, one by one, on a disk whose meta slots are written by hand.
public class ReaderRuleTests
{
    [Fact]
    public void A_torn_newer_meta_is_not_newer_and_its_completion_is_seen()
    {
        using CrashDisk disk = Made(out int otherSlot, out ulong transaction);
        // The number of the next transaction without the rest of its meta: what a reader may find while the writer is at it, or after a
        // crash.
        disk.Write(otherSlot + 48, BitConverter.GetBytes(transaction + 1));
        MappedFile<Cell> reader = new(new CrashStorage(disk));
        Assert.Equal(1, Value(reader));
        Assert.Equal((long)transaction, reader.Transaction);
        MappedFile<Cell> writer = new(new CrashStorage(disk));
        Assert.Equal(2, writer.Increment(0, Cell.Fields.Value));
        Assert.Equal((long)transaction + 1, reader.Transaction);
        Assert.Equal(2, Value(reader));
    }

    [Fact]
    public void A_zeroed_slot_is_not_newer()
    {
        using CrashDisk disk = Made(out int otherSlot, out ulong transaction);
        MappedFile<Cell> reader = new(new CrashStorage(disk));
        disk.Write(otherSlot, new byte[4096]);
        Assert.Equal(1, Value(reader));
        Assert.Equal((long)transaction, reader.Transaction);
    }

    [Fact]
    public void Each_further_try_is_looked_at_as_the_first_one_was()
    {
        using CrashDisk disk = Made(out _, out _);
        MappedFile<Cell> reader = new(new CrashStorage(disk)), writer = new(new CrashStorage(disk));
        foreach (Func<Func<Cell.View, long>, long> readBy in (Func<Func<Cell.View, long>, long>[])
        [
            read => reader.Read(0, read),
            read => reader.Read(0, read, static (cell, read) => read(cell)),
        ])
        {
            foreach (bool throws in (bool[])[false, true])
            {
                int calls = 0;
                long value = readBy(cell =>
                {
                    if (++calls > 4) return cell.Value;
                    // One commit or two: the copy is no longer active, or has been written to.
                    for (int commit = 0; commit < (calls & 1) + 1; commit++) writer.Increment(0, Cell.Fields.Value);
                    return throws ? throw new InvalidOperationException("as if by torn bytes") : cell.Value;
                });
                Assert.Equal((5, writer.Read(0, static c => c.Value)), (calls, value));
            }
            Assert.Throws<InvalidOperationException>(() => readBy(static _ => throw new InvalidOperationException("the caller's own")));
        }
    }

    [Fact]
    public void A_page_that_a_second_commit_is_writing_is_no_damage_but_a_reason_to_read_again()
    {
        using CrashDisk disk = Made(out _, out _);
        MappedFile<Cell> reader = new(new CrashStorage(disk));
        Assert.Equal(1, reader.Count);
        // The reader knows transaction N and has not looked at the page. N + 1 is there, and N + 2 has half written the copy that was
        // active at N.
        MappedFile<Cell> writer = new(new CrashStorage(disk));
        IndependentReader before = new(disk.View[..(int)disk.Length].ToArray());
        writer.Increment(0, Cell.Fields.Value);
        byte[] half = new byte[2000];
        half.AsSpan().Fill(0xEE);
        disk.Write(before.PageAt(0) + 100, half);
        Assert.Equal(2, Value(reader));
    }

    [Fact]
    public void A_checksum_that_was_found_right_is_not_believed_for_a_later_page_in_the_same_copy()
    {
        using CrashDisk disk = Made(out _, out _);
        MappedFile<Cell> reader = new(new CrashStorage(disk)), writer = new(new CrashStorage(disk));
        Assert.Equal(1, Value(reader));
        writer.Increment(0, Cell.Fields.Value);
        writer.Increment(0, Cell.Fields.Value);
        // The page's third version is in the copy that held the first: damaged behind everyone's back, it must be looked at anew.
        IndependentReader now = new(disk.View[..(int)disk.Length].ToArray());
        disk.Write(now.PageAt(0) + 200, [0xEE]);
        MappedFileException e = Assert.Throws<MappedFileException>(() => Value(reader));
        Assert.Equal((MappedFileReason.DamagedPage, 0), (e.Reason, e.Page));
    }

    private static CrashDisk Made(out int otherSlot, out ulong transaction)
    {
        CrashDisk disk = new();
        disk.Clear();
        MappedFile<Cell> file = MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots);
        using (WriteTransaction<Cell> tx = file.BeginWrite())
        {
            Cell cell = tx.Append();
            cell.Value = 1;
            tx.Commit();
        }
        transaction = (ulong)file.Transaction;
        otherSlot = (int)(transaction + 1 & 1) * 4096;
        return disk;
    }

    private static long Value(MappedFile<Cell> file) => file.Read(0, static cell => cell.Value);
}
