using System.Text;

namespace MemPrims.Records.Tests.Storage;

// Files written through a writable map, on the disk and in memory. KillTests and HoleTests have what may befall them.
public class InPlaceStoresTests
{
    private static readonly MappedFileOptions s_noSync = new() { Durability = Durability.ProcessCrash, StoreThroughMap = true };

    public static TheoryData<string> Places => Directory.Exists("/dev/shm") ? [Path.GetTempPath(), "/dev/shm"] : [Path.GetTempPath()];

    [Theory]
    [MemberData(nameof(Places))]
    public void What_was_committed_is_what_any_reader_finds(string place)
    {
        using TempFolder folder = new(place);
        string path = folder.File("stats");
        List<long> model = [];
        Random random = Seeds.Random();
        using (var reader = Begin(path))
        using (var file = MappedFile<IndexStats>.Open(path, s_noSync))
        {
            for (int commit = 0; commit < 300; commit++)
            {
                using (var tx = file.BeginWrite())
                {
                    for (int appended = random.Next(3) == 0 ? random.Next(200) : 0; appended > 0; appended--) Set(tx.Append(), model,
                        model.Count, random);
                    for (int changed = random.Next(12); changed > 0 && model.Count > 0; changed--)
                    {
                        int id = random.Next(model.Count);
                        Set(tx[id], model, id, random);
                    }
                    if (random.Next(8) != 0) tx.Commit();
                    else
                    {
                        // Given up: the model takes back what the file never had.
                        tx.Dispose();
                        model = [.. Enumerable.Range(0, reader.Count).Select(i => reader.Read(i, static s => s.LastEtag))];
                    }
                }
                if (commit % 10 != 0) continue;
                reader.Verify();
                Assert.Equal(model.Count, reader.Count);
                for (int i = 0; i < model.Count; i++) Assert.Equal(model[i], reader.Read(i, static s => s.LastEtag));
            }
        }
        IndependentReader independent = new(File.ReadAllBytes(path));
        Assert.Equal(model.Count, independent.Records);
        for (int i = 0; i < model.Count; i++) Assert.Equal(model[i], BitConverter.ToInt64(independent.Record(i)));
    }

    [Theory]
    [MemberData(nameof(Places))]
    public void Ext_and_tmpfs_are_stored_into_and_power_loss_never_is(string place)
    {
        using TempFolder folder = new(place);
        Begin(folder.File("stats")).Dispose();
        string format = new DriveInfo(place).DriveFormat;
        using FileStorage storing = FileStorage.Open(folder.File("stats"), FileMode.Open, FileAccess.ReadWrite, s_noSync);
        using FileStorage syncing = FileStorage.Open(folder.File("stats"), FileMode.Open, FileAccess.ReadWrite);
        if (OperatingSystem.IsLinux() && format is "ext4" or "ext3" or "tmpfs") Assert.True(storing.WritesPieces);
        if (format is "xfs" or "btrfs" or "overlay" or "overlayfs") Assert.False(storing.WritesPieces);
        Assert.False(syncing.WritesPieces);
        using FileStorage unasked = FileStorage.Open(folder.File("stats"), FileMode.Open, FileAccess.ReadWrite,
            s_noSync with { StoreThroughMap = false });
        Assert.Equal(OperatingSystem.IsLinux() && format == "tmpfs", unasked.WritesPieces);
    }

    private static MappedFile<IndexStats> Begin(string path)
    {
        MappedFile<IndexStats>.Create(path, s_noSync).Dispose();
        return MappedFile<IndexStats>.OpenRead(path);
    }

    private static void Set(IndexStats s, List<long> model, int id, Random random)
    {
        if (id == model.Count) model.Add(0);
        s.LastEtag = model[id] = random.NextInt64();
        s.LastError = Encoding.ASCII.GetBytes(new string('x', random.Next(100)));
    }
}
