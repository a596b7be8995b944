using System.Runtime.Versioning;
using System.Text.RegularExpressions;

namespace MemPrims.Records.Tests.Log;

// The folders of a log: each name on the way to its files is on the disk before anything is acknowledged.
[UnsupportedOSPlatform("windows")]
public sealed partial class LogFolderTests
{
    [SkippableFact]
    public void The_names_of_all_folders_are_on_the_disk_before_a_sync_returns()
    {
        NamesAreOnTheDisk("new/a/b/log", there: 0);
        NamesAreOnTheDisk("new/a/b/log", there: 1);
        NamesAreOnTheDisk("new/a/b/log", there: 4);
        NamesAreOnTheDisk("link/log", there: 0);
        NamesAreOnTheDisk("link", there: 0);
    }

    // A log's name looks like that of a file, so one is often there.
    [Fact]
    public void A_file_in_the_folder_s_place_is_told_and_stays()
    {
        using TempFolder root = new();
        string path = root.File("orders.log");
        File.WriteAllText(path, "lines");
        foreach (string log in (string[])[path, Path.Combine(path, "log")])
        {
            MappedFileException e = Assert.Throws<MappedFileException>(() => LogFile.OpenOrCreate(log));
            Assert.Equal((MappedFileReason.NotThisFormat, path), (e.Reason, e.Path));
            Assert.Contains("a log is a folder", e.Message);
        }
        Assert.Equal(MappedFileReason.NotThisFormat, Assert.Throws<MappedFileException>(() => LogFile.Create(path)).Reason);
        Assert.Equal(MappedFileReason.NotThisFormat, Assert.Throws<MappedFileException>(() => LogFile.Open(path)).Reason);
        Assert.Equal(MappedFileReason.NotThisFormat, Assert.Throws<MappedFileException>(() => LogFile.OpenRead(path)).Reason);
        Assert.Equal("lines", File.ReadAllText(path));
    }

    private static void NamesAreOnTheDisk(string path, int there)
    {
        using TempFolder root = new();
        Directory.CreateDirectory(root.File("real/inner"));
        Directory.CreateSymbolicLink(root.File("link"), root.File("real/inner"));
        string[] names = path.Split('/');
        if (there > 0) Directory.CreateDirectory(root.File(string.Join('/', names[..there])));
        string trace = root.File("trace");
        Strace.Run(Append, [root.File(path)], "-y", "-o", trace, "-e", "trace=mkdir,mkdirat,fsync,link,linkat").AssertSucceeded();
        // The file's name in the folder, and the folder's own: where it was there already, that may not last either.
        string[] calls = [.. File.ReadLines(trace).Select(line => line.Replace(root.File("link"), root.File("real/inner")))];
        string real = root.File(path).Replace(root.File("link"), root.File("real/inner"));
        Assert.Contains(Path.GetDirectoryName(real), calls.Select(SyncedFolder));
        Assert.Equal(1 + names.Length - (path.StartsWith("link", StringComparison.Ordinal) ? 1 : there), calls.Count(Made().IsMatch));
        Assert.Empty(Unsynced(calls));
    }

    // The names after which the next was made, or all had ended, before their folder was synced.
    private static IEnumerable<string> Unsynced(string[] calls)
    {
        string made = "";
        foreach (string call in calls)
        {
            if (made.Length > 0 && SyncedFolder(call) == Path.GetDirectoryName(made)) made = "";
            if (Made().Match(call) is not { Success: true } match) continue;
            if (made.Length > 0) yield return made;
            made = match.Groups[1].Value;
        }
        if (made.Length > 0) yield return made;
    }

    private static string? SyncedFolder(string call) => Synced().Match(call) is { Success: true } match ? match.Groups[1].Value : null;

    [GeneratedRegex(@" (?:mkdir|link)(?:at)?\(.*""([^""]*memprims[^""]*)""[^""]*\) += 0$")]
    private static partial Regex Made();

    [GeneratedRegex(@" fsync\(\d+<([^>]*)>\) += 0$")]
    private static partial Regex Synced();

    private static void Append(string[] arguments)
    {
        using LogFile log = LogFile.OpenOrCreate(arguments[0]);
        log.Append("acknowledged"u8);
        log.Sync();
    }
}
