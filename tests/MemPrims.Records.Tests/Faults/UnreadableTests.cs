using System.Runtime.Versioning;
using MemPrims.Records.Maintenance;

namespace MemPrims.Records.Tests.Faults;

// A part of a file that the disk cannot read is a part that is not whole, and never the end of the process.
[UnsupportedOSPlatform("windows")]
public sealed class UnreadableTests
{
    private const int Block = 4096, Records = 20;

    [Fact]
    public void Each_block_that_cannot_be_read_is_to_salvage_and_verify_a_damaged_one()
    {
        using TempFolder folder = new();
        Child.Run(ReadAroundEachBlock, [folder.Path]).AssertSucceeded();
    }

    // The oracle is the same file with other bytes there, which no checksum takes for the right ones.
    private static void ReadAroundEachBlock(string[] arguments)
    {
        string path = Path.Combine(arguments[0], "cells"), damaged = Path.Combine(arguments[0], "damaged");
        int differing = 0, lost = 0, stale = 0;
        foreach (byte[] bytes in Files(path))
        {
            File.WriteAllBytes(path, bytes);
            for (int at = 0; at < bytes.Length; at += Block)
            {
                CaseNote.Set($"block {at / Block}");
                byte[] bad = [.. bytes];
                bad.AsSpan(at, Block).Fill(0xEE);
                File.WriteAllBytes(damaged, bad);
                (SalvageReport Report, byte[] Bytes) expected = Salvaged(damaged, 0, 0), found = Salvaged(path, at, at + Block);
                Assert.Equal(Ranges(expected.Report.Lost), Ranges(found.Report.Lost));
                Assert.Equal(Ranges(expected.Report.Stale), Ranges(found.Report.Stale));
                Assert.Equal((expected.Report.Records, expected.Report.MetaWasWhole), (found.Report.Records, found.Report.MetaWasWhole));
                Assert.Equal(expected.Bytes, found.Bytes);
                lost += found.Report.LostRecords;
                stale += found.Report.Stale.Count;
                bool isMeta = at < 2 * Block;
                MappedFileReason? wrong = Verified(damaged, 0, 0), told = Verified(path, at, at + Block);
                Assert.Equal(isMeta ? MappedFileReason.DamagedMeta : wrong, told);
                if (told is not null) differing++;
                if (!isMeta) Assert.Equal(told, Copied(path, at, at + Block));
            }
        }
        // Half of the copies are active, in each of three files.
        Assert.True(differing > 3 * Records && stale > 10 && lost > 0, $"{differing} told, {stale} stale, {lost} lost");
    }

    // As the first commit leaves it, with pages of a single copy; after a loss of power, when the newest meta carries what a page lacks;
    // closed.
    private static byte[][] Files(string path)
    {
        List<byte[]> files = [];
        byte[] before, after;
        using (MappedFile<Cell> file = MappedFile<Cell>.Create(path, Small.Slots))
        {
            Append(file, Records);
            files.Add(File.ReadAllBytes(path));
            for (int i = 0; i < Records; i += 2) file.Increment(i, Cell.Fields.Value);
            before = File.ReadAllBytes(path);
            file.Increment(7, Cell.Fields.Value, 3);
            after = File.ReadAllBytes(path);
        }
        before.AsSpan(0, 2 * Block).Clear();
        after.AsSpan(0, 2 * Block).CopyTo(before);
        return [.. files, before, File.ReadAllBytes(path)];
    }

    private static (SalvageReport Report, byte[] Bytes) Salvaged(string path, long from, long to)
    {
        string saved = path + ".saved";
        using UnreadableStorage storage = new(path, from, to);
        SalvageReport report = Salvager<Cell>.Run(storage, saved, Small.Slots);
        // Past the metas, which have the new file's own number.
        byte[] bytes = File.ReadAllBytes(saved)[(2 * Block)..];
        File.Delete(saved);
        return (report, bytes);
    }

    private static MappedFileReason? Verified(string path, long from, long to) => ReasonOf(path, from, to, static file => file.Verify());

    private static MappedFileReason? Copied(string path, long from, long to) => ReasonOf(path, from, to, file =>
    {
        file.CopyTo(path + ".copy");
        File.Delete(path + ".copy");
    });

    private static MappedFileReason? ReasonOf(string path, long from, long to, Action<MappedFile<Cell>> call)
    {
        try
        {
            using MappedFile<Cell> file = new(new UnreadableStorage(path, from, to));
            call(file);
            return null;
        }
        catch (MappedFileException e)
        {
            Assert.Equal(path, e.Path);
            Assert.Contains("Salvage", e.Message);
            return e.Reason;
        }
    }

    private static IEnumerable<(int First, int Count)> Ranges(IReadOnlyList<RecordRange> ranges) =>
        ranges.Select(static range => (range.First, range.Count));

    [SkippableFact]
    public void A_disk_that_cannot_read_the_end_of_a_file_ends_no_process()
    {
        using TempFolder folder = TempFolder.With("image", out string image);
        string mounted = Directory.CreateDirectory(folder.File("disk")).FullName;
        string path = Path.Combine(mounted, "cells");
        using (FileStream made = File.Create(image)) made.SetLength(4 << 20);
        LoopDevice.Require("mkfs.ext4", "-q", "-b", "4096", "-O", "^has_journal", image);
        using (MappedFile<Cell> file = MappedFile<Cell>.Create(folder.File("cells"), Small.Slots)) Append(file, 350);
        // In one go, so that it lies in one piece.
        using (new LoopDevice(image, mounted)) File.Copy(folder.File("cells"), path);
        // Mounted anew, so that nothing of the file is in memory.
        using (new LoopDevice(image, mounted))
        {
            using (FileStream disk = File.OpenWrite(image)) disk.SetLength(600 * Block);
            Child.Run(ReadWhatIsThere, [path, folder.File("saved")]).AssertSucceeded();
        }
    }

    private static void ReadWhatIsThere(string[] arguments)
    {
        HashSet<int> bad = [];
        byte[] block = new byte[Block];
        using (FileStorage file = FileStorage.Open(arguments[0], FileMode.Open, FileAccess.Read))
        {
            for (int at = 0; at < file.Length / Block; at++)
            {
                try
                {
                    file.Read(at * (long)Block, block);
                }
                catch (IOException)
                {
                    bad.Add(at);
                }
            }
        }
        Assert.InRange(bad.Count, 10, 690);
        MappedFileException told = Assert.Throws<MappedFileException>(() => RecordCalls.Verify<Cell>(arguments[0]));
        Assert.Equal((MappedFileReason.DamagedPage, arguments[0]), (told.Reason, told.Path));
        Assert.Throws<MappedFileException>(() => RecordCalls.CopyTo<Cell>(arguments[0], arguments[1]));
        SalvageReport report = MappedFiles.Salvage<Cell>(arguments[0], arguments[1]);
        Assert.Contains("cannot be read", report.Lost[0].Why);
        using MappedFile<Cell> saved = MappedFile<Cell>.Open(arguments[1]);
        saved.Verify();
        // All went into the first copies.
        for (int i = 0; i < 350; i++) Assert.Equal(bad.Contains(2 + 2 * i) ? 0 : i + 1, saved.Read(i, static cell => cell.Value));
        Assert.Equal(bad.Count(static at => at is >= 2 and < 2 + 2 * 350 && at % 2 == 0), report.LostRecords);
        // Last, since it writes to the disk, and so makes the file under the disk longer: what was cut off is zeros from then on.
        Assert.Throws<MappedFileException>(() => MappedFiles.Compact<Cell>(arguments[0]));
    }

    private static void Append(MappedFile<Cell> file, int records)
    {
        using WriteTransaction<Cell> tx = file.BeginWrite();
        for (int i = 0; i < records; i++)
        {
            Cell cell = tx.Append();
            cell.Value = i + 1;
        }
        tx.Commit();
    }

    // To the kernel a device is a file. This one has room for nothing, so that what was written never gets there.
    [SkippableFact]
    public void A_failed_writeback_is_told_to_a_sync_beside_and_to_the_one_that_it_runs_beside()
    {
        using SmallDisk disk = new("64k");
        string image = disk.File("image");
        using (FileStream made = File.Create(image)) made.SetLength(1 << 20);
        using LoopDevice device = new(image);
        FillUp(disk.File("filler"));
        using FileStorage storage = FileStorage.Open(device.Path, FileMode.Open, FileAccess.ReadWrite, null, anyKind: true);
        storage.Write(1 << 18, new byte[Block]);
        Assert.Throws<IOException>(storage.BeginSyncBeside().Wait);
        Assert.Throws<IOException>(storage.Sync);
        // The other way round, on descriptions that are open by now.
        storage.Write(1 << 19, new byte[Block]);
        Assert.Throws<IOException>(() => storage.WriteSynced(1 << 19, new byte[Block]));
        Assert.Throws<IOException>(storage.BeginSyncBeside().Wait);
    }

    private static void FillUp(string path)
    {
        using FileStream file = new(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0);
        Assert.Throws<IOException>(Fill);

        void Fill()
        {
            while (true) file.Write(new byte[Block]);
        }
    }

    [Fact]
    public void A_process_that_is_started_beside_a_sync_of_a_folder_does_not_get_the_folder()
    {
        using TempFolder folder = new();
        using Microsoft.Win32.SafeHandles.SafeFileHandle opened = MemPrims.Systems.LinuxFile.OpenFolder(folder.Path);
        string flags = File.ReadLines($"/proc/self/fdinfo/{opened.DangerousGetHandle()}")
            .Single(static line => line.StartsWith("flags:", StringComparison.Ordinal));
        const int closeOnExec = 0x80000;
        Assert.Equal(closeOnExec, Convert.ToInt32(flags[6..].Trim(), 8) & closeOnExec);
    }
}
