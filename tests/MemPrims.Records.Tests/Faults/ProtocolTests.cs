namespace MemPrims.Records.Tests.Faults;

// What reaches the file, and in which order, word by word. The model and the crashes show that the order is enough; here no step goes away
// unnoticed, not even one that the step after it happens to make up for.
public class ProtocolTests
{
    [Fact]
    public void A_file_is_made_by_both_metas_and_a_sync()
    {
        using CrashDisk disk = new();
        List<string> done = [];
        MappedFile<Cell>.Create(Recorded(disk, done), Small.Slots).Dispose();
        Assert.Equal(["meta 2 into slot 0", "sync"], done);
    }

    [Theory, InlineData(Durability.PowerLoss), InlineData(Durability.ProcessCrash)]
    public void A_writer_zeroes_and_rewrites_then_commits_pages_before_meta_and_closes_with_another_meta(Durability durability)
    {
        using CrashDisk disk = Made();
        // Transaction 3 has two records; slot 0, that 2 was in, is torn.
        disk.Write(20, [0xEE]);
        List<string> done = [];
        MappedFile<Cell> file = new(Recorded(disk, done), new() { Durability = durability });
        file.Read(0, static c => c.Value);
        Assert.Empty(done);
        file.BeginWrite().Dispose();
        Expect("zeros into slot 0", "sync", "meta 3 into slot 1", "sync");
        file.BeginWrite().Dispose();
        Expect();
        Set(1, 0);
        // Small commits: the meta carries their writes, and one sync is for both.
        Expect("page 0 into B", "page 1 into B", "meta 4 into slot 0", "sync");
        Set(0);
        Expect("page 0 into A", "meta 5 into slot 1", "sync");
        using (WriteTransaction<Cell> tx = file.BeginWrite())
        {
            for (int i = 2; i < 9; i++) tx.Append();
            tx.Commit();
        }
        // Of 16 pages a chunk has 8, and the ninth makes the file longer; a new page is first in copy A.
        Expect("zeros to 139264", "page 2 into A", "page 3 into A", "page 4 into A", "page 5 into A", "page 6 into A", "page 7 into A",
            "page 8 into A", "sync", "meta 6 into slot 0", "sync");
        file.Dispose();
        Expect("meta 7 into slot 1", "sync");

        void Set(params int[] ids)
        {
            using WriteTransaction<Cell> tx = file.BeginWrite();
            foreach (int id in ids)
            {
                Cell cell = tx[id];
                cell.Value++;
            }
            tx.Commit();
        }

        void Expect(params string[] steps)
        {
            Assert.Equal(steps.Where(step => step != "sync" || durability == Durability.PowerLoss), done);
            done.Clear();
        }
    }

    [Fact]
    public void A_clean_file_is_opened_for_writing_without_zeroing_and_an_unwritten_one_closed_without_a_meta()
    {
        using CrashDisk disk = Made();
        List<string> done = [];
        MappedFile<Cell> file = new(Recorded(disk, done));
        file.BeginWrite().Dispose();
        file.Dispose();
        Assert.Equal(["meta 3 into slot 1", "sync"], done);
    }

    [Fact]
    public void The_pins_parity_is_locked_for_the_whole_commit_and_let_go_whatever_happens()
    {
        using CrashDisk disk = Made();
        List<string> done = [];
        bool full = false;
        MappedFile<Cell> file = new(Recorded(disk, done, locks: true, _ => full ? Fate.FailFull : Fate.Done));
        using (WriteTransaction<Cell> tx = file.BeginWrite())
        {
            Cell cell = tx[0];
            cell.Value = 5;
            Assert.Equal(["lock Writer", "meta 3 into slot 1", "sync"], done);
            done.Clear();
            full = true;
            Assert.Equal(MappedFileReason.Full, Assert.Throws<MappedFileException>(tx.Commit).Reason);
            Assert.Equal(["lock EvenTransactions", "page 0 into B", "unlock EvenTransactions"], done);
            done.Clear();
            full = false;
            tx.Commit();
        }
        // What the failed commit left in the copy is on no disk for sure, so this one syncs twice.
        Assert.Equal(["lock EvenTransactions", "page 0 into B", "sync", "meta 4 into slot 0", "sync", "unlock EvenTransactions"], done);
    }

    private static CrashDisk Made()
    {
        CrashDisk disk = new();
        disk.Clear();
        MappedFile<Cell> file = MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots);
        using WriteTransaction<Cell> tx = file.BeginWrite();
        tx.Append();
        tx.Append();
        tx.Commit();
        return disk;
    }

    private static CrashStorage Recorded(CrashDisk disk, List<string> done, bool locks = false, Func<Operation, Fate>? fate = null) =>
        new(disk, operation =>
        {
            done.Add(Describe(operation));
            return fate?.Invoke(operation) ?? Fate.Done;
        }, locks ? done.Add : null);

    private static string Describe(Operation operation)
    {
        if (operation.Kind == OperationKind.Sync) return "sync";
        if (operation.Kind == OperationKind.Extend) return $"zeros to {operation.Offset + operation.Bytes.Length}";
        if (operation.Offset < CrashDisk.MetaEnd)
        {
            Assert.Equal(0, operation.Offset % MetaHeader.MinSlotBytes);
            ulong transaction = BitConverter.ToUInt64(operation.Bytes, MetaHeader.TransactionOffset);
            return operation.Bytes.AsSpan().IndexOfAnyExcept((byte)0) < 0 ? $"zeros into slot {operation.Offset / 4096}"
                : $"meta {transaction} into slot {operation.Offset / 4096}";
        }
        long copy = (operation.Offset - CrashDisk.MetaEnd) / 4096;
        Assert.Equal((copy / 2, 4096), (BitConverter.ToUInt32(operation.Bytes, 4), operation.Bytes.Length));
        return $"page {copy / 2} into {(copy % 2 == 0 ? "A" : "B")}";
    }
}
