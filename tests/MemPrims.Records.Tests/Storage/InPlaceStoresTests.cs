using System.Text;
using System.Diagnostics;

namespace MemPrims.Records.Tests.Storage;

// Files written through a writable map, on the disk and in memory: what they hold, kill -9, and a full disk beneath a file with holes.
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
    }

    [Fact]
    public void Nothing_acknowledged_is_lost_by_kill_9()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        Begin(path).Dispose();
        using (var file = MappedFile<IndexStats>.Open(path, s_noSync))
        file.AppendNew(100);
        long acknowledged = 0;
        Random random = Seeds.Random();
        for (int round = 0; round < 25 * Seeds.Scale; round++)
        {
            using Process child = Child.Start(CommitUntilKilled, [path]);
            for (int lines = random.Next(1, 400); lines > 0; lines--) acknowledged = long.Parse(child.StandardOutput.ReadLine()!);
            child.Kill();
            while (child.StandardOutput.ReadLine() is { } line)
                if (long.TryParse(line, out long number) && number > acknowledged) acknowledged = number;
            child.WaitForExit();
            using var file = MappedFile<IndexStats>.OpenRead(path);
            file.Verify();
            // The last line may have been cut off with its number still readable, so one that is less is no loss only if the file has
            // more.
            long found = file.Read(0, static s => s.LastEtag);
            Assert.InRange(found, acknowledged, acknowledged + 1);
            for (int i = 0; i < 100; i += 30) Assert.Equal(found, file.Read(i, static s => s.LastEtag));
            acknowledged = found;
        }
    }

    private static void CommitUntilKilled(string[] arguments)
    {
        Stream output = Console.OpenStandardOutput();
        using var file = MappedFile<IndexStats>.Open(arguments[0], s_noSync);
        for (long number = file.Read(0, static s => s.LastEtag) + 1; ; number++)
        {
            using var tx = file.BeginWrite();
            for (int i = 0; i < 100; i += 30)
            {
                IndexStats s = tx[i];
                s.LastEtag = number;
                s.LastError = Encoding.ASCII.GetBytes(new string('e', (int)(number % 100)));
            }
            tx.Commit();
            output.Write(Encoding.ASCII.GetBytes($"{number}\n"));
        }
    }

    [SkippableFact]
    public void Holes_in_a_file_on_a_full_disk_are_an_error_and_no_signal()
    {
        using SmallDisk disk = new("1m");
        // In a process of its own: it would be the one to die, and it leaves no map behind.
        ChildResult child = Child.Run(CommitIntoHoles, [disk.File("")]);
        child.AssertSucceeded();
        Assert.Contains("Full", child.Output);
    }

    private static void CommitIntoHoles(string[] arguments)
    {
        string path = Path.Combine(arguments[0], "stats");
        Begin(path).Dispose();
        using (var file = MappedFile<IndexStats>.Open(path, s_noSync))
        file.AppendNew(1000);
        // As a backup restores it that saves nothing for zeros: the copies that were never written are holes.
        if (!Run("fallocate", "--dig-holes", path)) throw new InvalidOperationException("no holes");
        using (FileStream rest = File.Create(Path.Combine(arguments[0], "rest")))
        {
            try
            {
                while (true)
                {
                    rest.Write(new byte[4096]);
                    rest.Flush();
                }
            }
            catch (IOException) { }
        }
        using (var file = MappedFile<IndexStats>.Open(path, s_noSync))
        {
            try
            {
                file.BeginWrite().Dispose();
            }
            catch (MappedFileException e)
            {
                Console.WriteLine(e.Reason);
            }
            File.Delete(Path.Combine(arguments[0], "rest"));
            using var tx = file.BeginWrite();
            for (int i = 0; i < 1000; i++) tx.Increment(i, IndexStats.Fields.Attempts);
            tx.Commit();
            file.Verify();
            if (file.Read(999, static s => s.Attempts) != 1) throw new InvalidOperationException("not committed");
        }
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

    private static bool Run(string program, params string[] arguments)
    {
        using Process process = Process.Start(program, arguments);
        process.WaitForExit();
        return process.ExitCode == 0;
    }
}
