namespace MemPrims.Records.Tests.Faults;

// No file, and no writer, keeps a reader trying for ever.
public class ReadRetriesTests
{
    // So that patience without an end fails the test, and does not hang it.
    private const int MostTries = 300_000;

    private static readonly MappedFileOptions s_hasty = new() { PinTimeout = TimeSpan.FromMilliseconds(30) };

    [Fact]
    public void A_read_that_every_commit_passes_by_ends_with_an_error_that_says_what_to_do()
    {
        using CrashDisk disk = Made();
        MappedFile<Cell> reader = new(new CrashStorage(disk), s_hasty), writer = new(new CrashStorage(disk));
        int tries = 0;
        Func<Cell.View, long> passed = cell => ++tries < MostTries ? writer.Increment(0, Cell.Fields.Value) : cell.Value;
        foreach (Func<Cell.View, long> slow in (Func<Cell.View, long>[])
        [
            passed,
            cell => passed(cell) < 0 || tries >= MostTries ? 0
                : throw new InvalidOperationException("never told, for it comes of bytes that are no commit"),
        ])
        {
            tries = 0;
            MappedFileException e = Assert.Throws<MappedFileException>(() => reader.Read(0, slow));
            Assert.Equal(MappedFileReason.Locked, e.Reason);
            Assert.Contains("Pin", e.Message);
        }
        Assert.Equal(reader.Read(0, static c => c.Value), writer.Read(0, 1, static (c, _) => c.Value));
        tries = 0;
        Assert.Throws<MappedFileException>(() => reader.Read(0, passed, static (cell, read) => read(cell)));
    }

    [Fact]
    public void Slots_that_someone_else_turns_back_and_forth_end_a_read()
    {
        using CrashDisk disk = Made();
        MappedFile<Cell> writer = new(new CrashStorage(disk));
        writer.Increment(0, Cell.Fields.Value);
        byte[] metas = disk.View[..CrashDisk.MetaEnd].ToArray();
        int newest = (int)(writer.Transaction & 1) * 4096;
        MappedFile<Cell> reader = new(new CrashStorage(disk), s_hasty);
        int calls = 0;
        MappedFileException e = Assert.Throws<MappedFileException>(() => reader.Read(0, cell =>
        {
            // The newest meta is there at every other call.
            if (++calls > MostTries) return 0;
            if ((calls & 1) != 0) disk.Write(newest, new byte[4096]);
            else disk.Write(newest, metas.AsSpan(newest, 4096));
            return cell.Value;
        }));
        Assert.Equal(MappedFileReason.Locked, e.Reason);
        Assert.True(calls > 2);
    }

    [Fact]
    public void Slots_whose_newest_meta_never_stands_are_damaged()
    {
        using CrashDisk disk = Made();
        using RecordFile file = RecordFile.Open(new CrashStorage(disk), Cell.Layout, MappedFileOptions.Default);
        ReadRetries retries = new(file);
        for (int look = 0; look < 100; look++) retries.Renew();
        MappedFileException? told = null;
        try
        {
            retries.Renew();
        }
        catch (MappedFileException e)
        {
            told = e;
        }
        Assert.Equal(MappedFileReason.DamagedMeta, told?.Reason);
    }

    private static CrashDisk Made()
    {
        CrashDisk disk = new();
        disk.Clear();
        MappedFile<Cell> file = MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots);
        file.AppendNew();
        return disk;
    }
}
