using System.Runtime.Versioning;

namespace MemPrims.Records.Tests.Faults;

// Files with holes, which on tmpfs take a block where they are read through a map.
[UnsupportedOSPlatform("windows")]
public sealed class HoleTests
{
    [SkippableFact]
    public void A_file_with_holes_on_a_full_disk_is_refused_before_it_is_written_and_no_signal()
    {
        using SmallDisk disk = new("600k");
        string path = disk.File("cells"), sparse = disk.File("sparse"), ballast = disk.File("ballast");
        Child.Run(MakeSparse, [path, sparse]).AssertSucceeded();
        File.Delete(path);
        SmallDisk.FillUp(ballast);
        byte[] before = File.ReadAllBytes(sparse);
        // In a process of its own, which a signal may end.
        Child.Run(UpdateWithoutRoom, [sparse]).AssertSucceeded();
        Assert.Equal(before, File.ReadAllBytes(sparse));
        File.Delete(ballast);
        Child.Run(UpdateAll, [sparse]).AssertSucceeded();
    }

    [SkippableFact]
    public void What_somebody_made_longer_has_blocks_before_it_is_used()
    {
        using SmallDisk disk = new("600k");
        string path = disk.File("cells"), ballast = disk.File("ballast");
        Child.Run(MakeLonger, [path]).AssertSucceeded();
        SmallDisk.FillUp(ballast);
        Child.Run(AppendWithoutRoom, [path]).AssertSucceeded();
    }

    private static void MakeSparse(string[] arguments)
    {
        using (var file = MappedFile<Cell>.Create(arguments[0], Small.Slots)) file.AppendNew(16);
        Assert.Null(Programs.Run("cp", "--sparse=always", arguments[0], arguments[1]).Error);
    }

    private static void UpdateWithoutRoom(string[] arguments)
    {
        foreach (Durability durability in (Durability[])[Durability.PowerLoss, Durability.ProcessCrash])
        {
            using var file = MappedFile<Cell>.Open(arguments[0], Small.Slots with { Durability = durability });
            MappedFileException full = Assert.Throws<MappedFileException>(() =>
            {
                for (int i = 0; i < 16; i++) file.Increment(i, Cell.Fields.Value);
            });
            Assert.Equal(MappedFileReason.Full, full.Reason);
        }
    }

    private static void UpdateAll(string[] arguments)
    {
        using var file = MappedFile<Cell>.Open(arguments[0], Small.Slots with { Durability = Durability.ProcessCrash });
        for (int i = 0; i < 16; i++) Assert.Equal(1, file.Increment(i, Cell.Fields.Value));
        file.Verify();
    }

    private static void MakeLonger(string[] arguments)
    {
        using (var file = MappedFile<Cell>.Create(arguments[0], Small.Slots)) file.AppendNew();
        using FileStream stream = File.OpenWrite(arguments[0]);
        stream.SetLength(1 << 20);
    }

    private static void AppendWithoutRoom(string[] arguments)
    {
        using var file = MappedFile<Cell>.Open(arguments[0], Small.Slots);
        MappedFileException full = Assert.Throws<MappedFileException>(() =>
        {
            for (int i = 0; i < 50; i++)
            {
                file.AppendNew();
                for (int id = 0; id < file.Count; id++) file.Increment(id, Cell.Fields.Value);
            }
        });
        Assert.Equal(MappedFileReason.Full, full.Reason);
    }
}
