using System.Runtime.Versioning;

namespace MemPrims.Records.Tests.Log;

// What stands in a log's folder under the name of one of its files, and is none.
[UnsupportedOSPlatform("windows")]
public sealed class LogStrangeFileTests
{
    public static TheoryData<string> Kinds => ["folder", "pipe", "link to nothing", "link to itself", "link to a pipe"];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Salvage_passes_over_what_is_no_file(string kind)
    {
        using TempFolder root = TempFolder.With("log", out string path);
        int frames = Fill(path);
        Make(kind, Path.Combine(path, "0000000000009000000.log"));
        LogSalvage all = LogFile.Salvage(path, root.File("all"));
        Assert.Equal(frames, all.Frames);
        Assert.Empty(all.Lost);
        string second = Directory.GetFiles(path, "*.log").Order(StringComparer.Ordinal).ElementAt(1);
        File.Delete(second);
        Make(kind, second);
        LogSalvage rest = LogFile.Salvage(path, root.File("rest"));
        Assert.InRange(rest.Frames, 1, frames - 1);
        Assert.Equal(long.Parse(Path.GetFileNameWithoutExtension(second)), Assert.Single(rest.Lost).From);
        string first = Directory.GetFiles(path, "*.log").Min(StringComparer.Ordinal)!;
        File.Delete(first);
        Make(kind, first);
        Assert.InRange(LogFile.Salvage(path, root.File("without the first")).Frames, 1, rest.Frames - 1);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Opening_tells_of_what_is_no_file(string kind)
    {
        using TempFolder root = TempFolder.With("log", out string path);
        Fill(path);
        string strange = Directory.GetFiles(path, "*.log").Order(StringComparer.Ordinal).ElementAt(1);
        File.Delete(strange);
        Make(kind, strange);
        foreach (Func<LogFile> open in (Func<LogFile>[])[() => LogFile.Open(path, Small.Log), () => LogFile.OpenRead(path)])
        {
            Exception told = Assert.ThrowsAny<Exception>(() => open().Dispose());
            Assert.True(told is MappedFileException or DamagedDataException, $"{told}");
            Assert.Contains(path, told.Message);
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_lock_that_is_no_file_is_refused(string kind)
    {
        using TempFolder root = TempFolder.With("log", out string path);
        Fill(path);
        File.Delete(Path.Combine(path, "lock"));
        Make(kind, Path.Combine(path, "lock"));
        string[] before = Directory.GetFileSystemEntries(root.Path, "*", SearchOption.AllDirectories);
        foreach (Func<LogFile> open in (Func<LogFile>[])[() => LogFile.Open(path, Small.Log), () => LogFile.OpenOrCreate(path, Small.Log)])
            Assert.Contains("lock", Assert.Throws<MappedFileException>(() => open().Dispose()).Message);
        Assert.Equal(before, Directory.GetFileSystemEntries(root.Path, "*", SearchOption.AllDirectories));
    }

    [Fact]
    public void Salvage_of_nothing_makes_nothing()
    {
        using TempFolder root = new();
        Directory.CreateDirectory(root.File("empty"));
        Assert.Throws<FileNotFoundException>(() => LogFile.Salvage(root.File("empty"), root.File("new")));
        Assert.Throws<DirectoryNotFoundException>(() => LogFile.Salvage(root.File("none"), root.File("new")));
        Assert.Equal([root.File("empty")], Directory.GetFileSystemEntries(root.Path));
    }

    [Fact]
    public void A_default_loop_has_no_frames()
    {
        foreach (LogEntry entry in default(LogEntries)) Assert.Fail($"{entry.Position}");
    }

    private static int Fill(string path)
    {
        const int frames = 40;
        using LogFile log = LogFile.Create(path, Small.Log);
        for (int i = 0; i < frames; i++)
        {
            log.Append(new byte[500]);
            log.Sync();
        }
        Assert.True(Directory.GetFiles(path, "*.log").Length > 3);
        return frames;
    }

    private static void Make(string kind, string path)
    {
        string pipe = kind == "pipe" ? path : path + ".pipe";
        if (kind.EndsWith("pipe", StringComparison.Ordinal)) Assert.Null(Programs.Run("mkfifo", pipe).Error);
        if (kind == "folder") Directory.CreateDirectory(path);
        else if (kind == "link to nothing") File.CreateSymbolicLink(path, path + ".none");
        else if (kind == "link to itself") File.CreateSymbolicLink(path, path);
        else if (kind == "link to a pipe") File.CreateSymbolicLink(path, pipe);
    }
}
