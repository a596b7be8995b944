using System.Diagnostics;
using System.Runtime.Versioning;
using MemPrims.Pages;

namespace MemPrims.Records.Tests.Faults;

// What the system itself refuses: no room, no permission, no sync. In child processes where a limit of the process is what refuses.
[UnsupportedOSPlatform("windows")]
public sealed class SystemLimitTests
{
    private const int FileBytes = 150_000;

    [SkippableFact]
    public void A_really_full_disk_is_no_signal_and_a_read_only_file_system_is_read()
    {
        using SmallDisk disk = new("200k");
        string path = disk.File("small");
        FillUp(path);
        disk.MakeReadOnly();
        using (var file = MappedFile<Cell>.OpenRead(path))
        {
            file.Verify();
            Assert.Equal(0, file.Read(0, static c => c.Value));
            // A pin is a lock of the kernel's, and leaves nothing on the disk.
            using var snapshot = file.Pin();
            Assert.Equal(0, snapshot.View(0).Value);
        }
        Assert.Equal(MappedFileReason.ReadOnly, Assert.Throws<MappedFileException>(() => MappedFile<Cell>.Open(path)).Reason);
    }

    [SkippableFact]
    public void Pages_on_a_read_only_file_system_are_refused_with_what_to_do()
    {
        using SmallDisk disk = new("1m");
        string path = disk.File("pages");
        MappedPages.Create(path).Dispose();
        disk.MakeReadOnly();
        foreach (Func<MappedPages> open in (Func<MappedPages>[])[() => MappedPages.Open(path), () => MappedPages.OpenOrCreate(path)])
            Assert.StartsWith($"{path}: it can't be opened for writing", Assert.Throws<IOException>(() => open()).Message);
    }

    [SkippableFact]
    public void A_salvage_without_room_leaves_nothing_in_the_way_of_the_next_one()
    {
        using SmallDisk disk = new("200k");
        using TempFolder folder = TempFolder.With("cells", out string damaged);
        string saved = disk.File("saved");
        using (var file = MappedFile<Cell>.Create(damaged, Small.Slots)) file.AppendNew(100);
        MappedFileException told = Assert.Throws<MappedFileException>(() => MappedFiles.Salvage<Cell>(damaged, saved, Small.Slots));
        Assert.Equal(MappedFileReason.Full, told.Reason);
        Assert.False(File.Exists(saved));
        // The deleted file takes room as long as it is mapped.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        File.WriteAllText(saved, "mine");
        Assert.ThrowsAny<IOException>(() => MappedFiles.Salvage<Cell>(damaged, saved, Small.Slots));
        Assert.Equal("mine", File.ReadAllText(saved));
        // What was no commit is not told to be committed again.
        using var full = MappedFile<Cell>.Open(damaged);
        told = Assert.Throws<MappedFileException>(() => full.CopyTo(disk.File("copy")));
        Assert.DoesNotContain("commit", told.Message);
    }

    [Fact]
    public void A_file_that_may_grow_no_longer_is_full_and_goes_on_when_it_may()
    {
        using TempFolder folder = new();
        Child.Run(GrowToTheLimit, [folder.File("cells")]).AssertSucceeded();
        using var file = MappedFile<Cell>.Open(folder.File("cells"));
        file.Verify();
        for (int i = 0; i < file.Count; i++) Assert.Equal(i, file.Read(i, static c => c.Value));
        Assert.True(file.Count * 8192 > FileBytes);
    }

    [Fact]
    public void A_file_without_permission_to_write_is_read_and_told_to_be_read_only()
    {
        using TempFolder folder = TempFolder.With("cells", out string path);
        using (var file = MappedFile<Cell>.Create(path)) file.AppendNew();
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
        File.Copy(path, folder.File("closed"));
        File.SetUnixFileMode(folder.File("closed"), UnixFileMode.None);
        Child.Run(ReadWithoutPermission, [path, folder.File("closed")]).AssertSucceeded();
    }

    [Fact]
    public void A_sync_is_asked_of_the_system_and_its_error_is_told()
    {
        // It has no disk behind it: the one file whose sync fails for everyone.
        const string nothing = "/dev/null";
        using FileStorage storage = FileStorage.Open(nothing, FileMode.Open, FileAccess.ReadWrite, null, anyKind: true);
        IOException e = Assert.Throws<IOException>(storage.Sync);
        Assert.Contains("fdatasync", e.Message);
        Assert.Contains(nothing, e.Message);
    }

    private static void FillUp(string path)
    {
        using var file = MappedFile<Cell>.Create(path, Small.Slots);
        Assert.Equal(MappedFileReason.Full, AppendUntilRefused(file).Reason);
        file.Verify();
        Assert.InRange(file.Count, 5, 30);
    }

    private static void GrowToTheLimit(string[] arguments)
    {
        // Without a handler of the signal, which would end the process.
        const int fileSize = 1;
        ulong before = Scarcity.Limit(fileSize, FileBytes);
        Assert.Equal(MappedFileReason.Full, Assert.Throws<MappedFileException>(() =>
            MappedFile<Cell>.Create(arguments[0], new() { MetaSlotBytes = 1 << 20 })).Reason);
        Assert.False(File.Exists(arguments[0]));
        using var file = MappedFile<Cell>.Create(arguments[0], Small.Slots);
        Assert.Equal(MappedFileReason.Full, AppendUntilRefused(file).Reason);
        int committed = file.Count;
        Assert.InRange(committed, 5, FileBytes / 8192);
        file.Verify();
        // What fits is written still.
        Assert.Equal(committed, file.Increment(committed - 1, Cell.Fields.Value));
        Assert.Equal(committed - 1, file.Increment(committed - 1, Cell.Fields.Value, -1));
        using var tx = file.BeginWrite();
        for (int i = committed; i * 8192 <= 2 * FileBytes; i++)
        {
            Cell cell = tx.Append();
            cell.Value = i;
        }
        Assert.Equal(MappedFileReason.Full, Assert.Throws<MappedFileException>(tx.Commit).Reason);
        Scarcity.Limit(fileSize, before);
        tx.Commit();
        Assert.True(file.Count > committed);
    }

    // Maps that have ended keep their addresses until a collection. A process that may have few addresses gets them before.
    [Fact]
    public void Addresses_of_ended_maps_are_given_back_where_they_are_short()
    {
        using TempFolder folder = new();
        Child.Run(MapUpToTheLimit, [folder.File("mapped")]).AssertSucceeded();
    }

    private static void MapUpToTheLimit(string[] arguments)
    {
        const int addresses = 9;
        File.WriteAllBytes(arguments[0], new byte[4096]);
        using Process self = Process.GetCurrentProcess();
        ulong before = Scarcity.Limit(addresses, (ulong)self.VirtualMemorySize64 + (1UL << 30));
        using SafeFileHandle file = File.OpenHandle(arguments[0]);
        for (int i = 0; i < 100; i++) FileMap.Map(file, arguments[0], 0, 1L << 28).Unmap();
        List<MappedRegion> kept = [];
        IOException told = Assert.Throws<IOException>(() =>
        {
            for (int i = 0; i < 100; i++) kept.Add(FileMap.Map(file, arguments[0], 0, 1L << 28));
        });
        Assert.Contains(arguments[0], told.Message);
        Assert.InRange(kept.Count, 2, 4);
        Scarcity.Limit(addresses, before);
    }

    // As on arm64 with pages of 16 or 64 KiB: a map begins at a multiple of that, and the first page of records at twice a meta slot.
    [Theory, InlineData("16384"), InlineData("65536")]
    public void Files_with_slots_of_every_size_are_mapped_where_pages_of_the_system_are_larger(string pageBytes)
    {
        using TempFolder folder = new();
        Child.Run(MapWithLargerPages, [folder.File(""), pageBytes], ("DOTNET_EnableWriteXorExecute", "0")).AssertSucceeded();
    }

    private static void MapWithLargerPages(string[] arguments)
    {
        // All that is needed is loaded by the first time.
        WriteAndRead("before");
        Scarcity.RefuseMapsWithin(int.Parse(arguments[1]));
        string whole = Path.Combine(arguments[0], "whole");
        File.WriteAllBytes(whole, new byte[1 << 17]);
        using SafeFileHandle file = File.OpenHandle(whole);
        const int page = 4096;
        Assert.Throws<IOException>(() => MappedRegion.Of(file, page, page, System.IO.MemoryMappedFiles.MemoryMappedFileAccess.Read));
        WriteAndRead("after");

        void WriteAndRead(string name)
        {
            foreach (int slotBytes in (int[])[4096, 8192, 16384, 32768])
            {
                foreach (bool isStored in (bool[])[false, true])
                {
                    MappedFileOptions options = new()
                    {
                        MetaSlotBytes = slotBytes, StoreThroughMap = isStored,
                        Durability = isStored ? Durability.ProcessCrash : Durability.PowerLoss,
                    };
                    string path = Path.Combine(arguments[0], $"{name}{slotBytes}{isStored}");
                    // Readers of both kinds map what the file grows by.
                    using (var file = MappedFile<Cell>.Create(path, options))
                    using (var reader = MappedFile<Cell>.OpenRead(path))
                    {
                        for (int i = 0; i < 4; i++)
                        {
                            file.AppendNew(20);
                            Assert.Equal(1, file.Increment(20 * i + 19, Cell.Fields.Value));
                            Assert.Equal(1, reader.Read(20 * i + 19, static c => c.Value));
                        }
                        file.CopyTo(path + "copy");
                    }
                    foreach (string one in (string[])[path, path + "copy"])
                    {
                        using var file = MappedFile<Cell>.Open(one, options);
                        file.Verify();
                        Assert.Equal(80, file.Count);
                        Assert.Equal(2, file.Increment(79, Cell.Fields.Value));
                    }
                }
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static MappedFileException AppendUntilRefused(MappedFile<Cell> file)
    {
        for (int i = 0; i < 1000; i++)
        {
            try
            {
                using var tx = file.BeginWrite();
                Cell cell = tx.Append();
                cell.Value = i;
                tx.Commit();
            }
            catch (MappedFileException e)
            {
                return e;
            }
        }
        throw new InvalidOperationException("a thousand pages fitted");
    }

    private static void ReadWithoutPermission(string[] arguments)
    {
        // All that is needed is loaded before root is given up, whose files others may not read.
        Read();
        Scarcity.LeaveRoot();
        Read();
        Assert.Equal(MappedFileReason.ReadOnly, Assert.Throws<MappedFileException>(() => MappedFile<Cell>.Open(arguments[0])).Reason);
        // Who has called OpenRead is not told to call it.
        MappedFileException closed = Assert.Throws<MappedFileException>(() => MappedFile<Cell>.OpenRead(arguments[1]));
        Assert.Equal(MappedFileReason.ReadOnly, closed.Reason);
        Assert.Contains("or not even read it", closed.Message);

        void Read()
        {
            using var file = MappedFile<Cell>.OpenRead(arguments[0]);
            file.Verify();
            Assert.Equal(0, file.Read(0, static c => c.Value));
            Assert.Equal(MappedFileReason.ReadOnly, Assert.Throws<MappedFileException>(file.BeginWrite).Reason);
        }
    }
}
