using System.Runtime.Versioning;
using MemPrims.Records.Maintenance;
using MemPrims.Systems;

namespace MemPrims.Records.Tests;

// Names, links and owners of files.
[UnsupportedOSPlatform("windows")]
public sealed class PathTests
{
    [Theory, InlineData(217), InlineData(218), InlineData(240), InlineData(255)]
    public void A_file_has_a_name_as_long_as_the_system_allows(int length)
    {
        using TempFolder folder = new();
        foreach (string letters in (string[])["n", "\u00e9", "\U0001F600"])
        {
            int bytes = System.Text.Encoding.UTF8.GetByteCount(letters);
            string name = string.Concat(Enumerable.Repeat(letters, length / bytes)) + new string('x', length % bytes);
            MappedFile<Cell>.Create(folder.File(name)).Dispose();
            Assert.True(File.Exists(folder.File(name)));
        }
        Assert.Equal(3, Directory.GetFiles(folder.Path).Length);
        Assert.ThrowsAny<IOException>(() => MappedFile<Cell>.Create(folder.File(new string('n', 256))));
    }

    [Fact]
    public void A_link_to_no_file_is_opened_by_making_the_file()
    {
        using TempFolder folder = new();
        File.CreateSymbolicLink(folder.File("link"), folder.File("second"));
        File.CreateSymbolicLink(folder.File("second"), folder.File("cells"));
        Assert.ThrowsAny<IOException>(() => MappedFile<Cell>.Create(folder.File("link")));
        MappedFile<Cell>.OpenOrCreate(folder.File("link")).Dispose();
        MappedFile<Cell>.Open(folder.File("cells")).Dispose();
        Assert.NotNull(new FileInfo(folder.File("link")).LinkTarget);
        File.CreateSymbolicLink(folder.File("nowhere"), folder.File("none/cells"));
        Assert.Throws<DirectoryNotFoundException>(() => MappedFile<Cell>.OpenOrCreate(folder.File("nowhere")));
        File.CreateSymbolicLink(folder.File("round"), folder.File("round"));
        Assert.ThrowsAny<IOException>(() => MappedFile<Cell>.OpenOrCreate(folder.File("round")));
    }

    // alias leads to real/inner, and real/inner/f to ../g: the system goes up from real/inner, and a reader of the text from alias.
    [Fact]
    public void A_link_is_followed_from_where_it_stands()
    {
        using TempFolder folder = new();
        string alias = WithAlias(folder), real = folder.File("real/g"), other = folder.File("g");
        Make(real, 5);
        Make(other, 7);
        byte[] before = File.ReadAllBytes(other);
        File.CreateSymbolicLink(folder.File("real/inner/f"), "../g");
        using (MappedFile<Cell> file = MappedFile<Cell>.Open(alias + "/f")) Assert.Equal(5, file.Count);
        Assert.Equal(5, MappedFiles.Compact<Cell>(alias + "/f").Count);
        Assert.Equal(before, File.ReadAllBytes(other));
        using (MappedFile<Cell> file = MappedFile<Cell>.Open(real)) Assert.Equal(4, file.Count);
        Assert.NotNull(new FileInfo(folder.File("real/inner/f")).LinkTarget);

        File.CreateSymbolicLink(folder.File("real/inner/none"), "../made");
        MappedFile<Cell>.OpenOrCreate(alias + "/none").Dispose();
        Assert.True(File.Exists(folder.File("real/made")));
        Assert.False(File.Exists(folder.File("made")));

        File.CreateSymbolicLink(folder.File("real/inner/far"), folder.File("alias/../g"));
        Assert.Equal(4, MappedFiles.Compact<Cell>(alias + "/far").Count);
        Assert.Equal(before, File.ReadAllBytes(other));
    }

    [Fact]
    public void A_path_that_leads_to_two_places_is_refused()
    {
        using TempFolder folder = new();
        string path = WithAlias(folder) + "/../g";
        Make(folder.File("g"), 7);
        Make(folder.File("real/g"), 5);
        string[] files = Directory.GetFiles(folder.Path, "*", SearchOption.AllDirectories);
        foreach (Action call in (Action[])[() => MappedFile<Cell>.Open(path).Dispose(), () => MappedFile<Cell>.OpenRead(path).Dispose(),
            () => MappedFile<Cell>.OpenOrCreate(path).Dispose(), () => MappedFile<Cell>.OpenOrCreate(path + "h").Dispose(),
            () => MappedFile<Cell>.Create(path + "h").Dispose(), () => MappedFiles.Compact<Cell>(path),
            () => MappedFiles.Upgrade<Cell>(path), () => RecordCalls.CopyTo<Cell>(folder.File("g"), path + "h"),
            () => MappedFiles.Salvage<Cell>(path, folder.File("h")), () => MappedFiles.Salvage<Cell>(folder.File("g"), path + "h")])
        {
            MappedFileException told = Assert.Throws<MappedFileException>(call);
            Assert.Equal(MappedFileReason.NotThisFormat, told.Reason);
            Assert.Contains("without \"..\"", told.Message);
        }
        Assert.Equal(files, Directory.GetFiles(folder.Path, "*", SearchOption.AllDirectories));
        using MappedFile<Cell> file = MappedFile<Cell>.Open(folder.File("real/inner/../g"));
        Assert.Equal(5, file.Count);
    }

    [Fact]
    public void A_path_that_leads_nowhere_to_the_system_is_not_taken_for_another()
    {
        using TempFolder folder = new();
        string alias = WithAlias(folder);
        Directory.CreateDirectory(folder.File("only"));
        Make(folder.File("only/g"), 5);
        // To the system "only" would stand beside what the alias leads to; to .NET it stands beside the alias.
        foreach (string path in (string[])[alias + "/../only/g", folder.File("nowhere/../only/g")])
            foreach (Action call in (Action[])
            [
                () => MappedFile<Cell>.Open(path).Dispose(), () => MappedFile<Cell>.OpenOrCreate(path).Dispose(),
                () => MappedFile<Cell>.Create(path + "h").Dispose(), () => LogFile.Create(path + "log").Dispose(),
                () => MappedFiles.Compact<Cell>(path),
            ])
                Assert.Contains("without \"..\"", Assert.ThrowsAny<IOException>(call).Message);
        Assert.Equal([folder.File("only/g")], Directory.GetFileSystemEntries(folder.File("only")));
    }

    // The look at the path saw a file, and the pipe took its name then: so the path is opened as after a look.
    [Fact]
    public async Task A_pipe_that_comes_when_a_file_was_seen_is_not_waited_for()
    {
        using TempFolder folder = new();
        string pipe = folder.File("pipe");
        Assert.Equal("", Run("mkfifo", pipe));
        foreach (FileAccess access in (FileAccess[])[FileAccess.Read, FileAccess.ReadWrite])
        {
            Task open = Task.Run(() => FileStorage.Open(pipe, FileMode.Open, access, null, anyKind: false));
            MappedFileException told = await Assert.ThrowsAsync<MappedFileException>(() => open.WaitAsync(TimeSpan.FromSeconds(30)));
            Assert.Equal(MappedFileReason.NotThisFormat, told.Reason);
            Assert.Contains("a pipe", told.Message);
        }
        Task sync = Task.Run(() => SystemFile.Here.SyncFolder(pipe));
        // macOS' folders are synced by the runtime's call, which takes what knows no sync for synced.
        if (SystemFile.Here is MacFile) await sync.WaitAsync(TimeSpan.FromSeconds(30));
        else await Assert.ThrowsAnyAsync<IOException>(() => sync.WaitAsync(TimeSpan.FromSeconds(30)));
    }

    [Fact]
    public void What_a_failure_cannot_clean_up_does_not_hide_it()
    {
        using TempFolder folder = TempFolder.With("cells", out string path);
        MappedFileException told = Assert.Throws<MappedFileException>(() => NewFile.Make(path, "make the file", made =>
        {
            // No file any more: a delete of it fails.
            File.Delete(made.Path);
            Directory.CreateDirectory(made.Path);
            throw new IOException("the disk is gone");
        }));
        Assert.Contains("the disk is gone", told.Message);
    }

    // As a file that a server has removed: it must take no commit. Windows' and other systems' say nothing, and all files are there.
    [Fact]
    public void An_open_file_of_which_the_system_says_nothing_is_at_no_path()
    {
        using TempFolder folder = TempFolder.With("cells", out string path);
        File.WriteAllText(path, "");
        using SafeFileHandle open = File.OpenHandle(path), unknown = new(int.MaxValue, ownsHandle: false);
        Assert.True(SystemFile.Here.IsAt(path, open));
        Assert.False(SystemFile.Here.IsAt(path, unknown));
        Assert.False(SystemFile.Here.IsAt(folder.File("none"), open));
    }

    // Reading opens by a call of its own, with the errors of the runtime, and its lock.
    [Fact]
    public void Opening_for_reading_fails_as_the_runtime_does()
    {
        using TempFolder folder = TempFolder.With("cells", out string path);
        Assert.Equal(path, Assert.Throws<FileNotFoundException>(() => MappedFile<Cell>.OpenRead(path)).FileName);
        Assert.Throws<DirectoryNotFoundException>(() => MappedFile<Cell>.OpenRead(folder.File("none/cells")));
        // A file that is made is named as it was given, and not as the one beside.
        string told = Assert.Throws<DirectoryNotFoundException>(() => MappedFile<Cell>.Create(folder.File("none/cells"))).Message;
        Assert.True(told.Contains(folder.File("none/cells"), StringComparison.Ordinal) && !told.Contains(".new"), told);
        MappedFile<Cell>.Create(path).Dispose();
        Assert.Throws<DirectoryNotFoundException>(() => MappedFile<Cell>.OpenRead(path + "/cells"));
        Assert.Throws<PathTooLongException>(() => MappedFile<Cell>.OpenRead(folder.File(new string('n', 256))));
        if (SystemFile.Here is MacFile) return;
        using (new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None))
            Assert.Contains("in use", Assert.Throws<MappedFileException>(() => MappedFile<Cell>.OpenRead(path)).Message);
        using (MappedFile<Cell> file = MappedFile<Cell>.OpenRead(path))
        {
            _ = file.Count;
            Assert.ThrowsAny<IOException>(() => new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None));
        }
        // Its maps may be there still.
        new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None).Dispose();
    }

    [Fact]
    public void A_file_of_several_names_is_not_separated_from_them()
    {
        using TempFolder folder = TempFolder.With("cells", out string path);
        Make(path, 5);
        Assert.Equal("", Run("ln", path, folder.File("other")));
        MappedFileException told = Assert.Throws<MappedFileException>(() => MappedFiles.Compact<Cell>(path));
        Assert.Equal(MappedFileReason.ReadOnly, told.Reason);
        Assert.Contains("2 names", told.Message);
        Assert.Equal(2, Directory.GetFiles(folder.Path).Length);
        File.Delete(folder.File("other"));
        Assert.Equal(5, MappedFiles.Compact<Cell>(path).Count);
    }

    private static string WithAlias(TempFolder folder)
    {
        Directory.CreateDirectory(folder.File("real/inner"));
        File.CreateSymbolicLink(folder.File("alias"), "real/inner");
        return folder.File("alias");
    }

    // Records of which the first is free.
    private static void Make(string path, int records)
    {
        using MappedFile<Cell> file = MappedFile<Cell>.Create(path);
        using WriteTransaction<Cell> made = file.BeginWrite();
        for (int i = 0; i < records; i++) made.Append();
        made.Free(0);
        made.Commit();
    }

    [Theory, InlineData("deleted"), InlineData("replaced"), InlineData("moved")]
    public void A_synced_commit_into_a_file_that_no_path_leads_to_is_refused(string how)
    {
        using TempFolder folder = TempFolder.With("cells", out string path);
        using MappedFile<Cell> file = MappedFile<Cell>.Create(path);
        using (WriteTransaction<Cell> made = file.BeginWrite())
        {
            made.Append();
            made.Commit();
        }
        if (how == "deleted") File.Delete(path);
        else if (how == "moved") File.Move(path, folder.File("elsewhere"));
        else
        {
            file.CopyTo(folder.File("copy"));
            File.Move(folder.File("copy"), path, overwrite: true);
        }
        if (how == "moved")
        {
            Assert.Equal(1, file.Increment(0, Cell.Fields.Value));
            using MappedFile<Cell> moved = MappedFile<Cell>.OpenRead(folder.File("elsewhere"));
            Assert.Equal(1, moved.Read(0, static c => c.Value));
            return;
        }
        MappedFileException told = Assert.Throws<MappedFileException>(() => file.Increment(0, Cell.Fields.Value));
        Assert.Equal(MappedFileReason.Locked, told.Reason);
        Assert.Contains("Open it again", told.Message);
        Assert.Equal(0, file.Read(0, static c => c.Value));
    }

    [SkippableFact]
    public void Compact_keeps_the_owner()
    {
        using TempFolder folder = TempFolder.With("cells", out string path);
        MappedFile<Cell>.Create(path).Dispose();
        if (!Environment.IsPrivilegedProcess) throw new SkipTestException("needs to give a file to another user");
        Assert.Equal("", Run("chown", "1234:4321", path));
        MappedFiles.Compact<Cell>(path);
        Assert.Equal("1234:4321", Run("stat", "-c", "%u:%g", path));
    }

    [Fact]
    public void A_text_and_a_file_of_the_system_that_is_shorter_than_its_length_are_told_by_open_and_by_salvage()
    {
        const string setting = "/sys/kernel/mm/transparent_hugepage/enabled";
        using TempFolder folder = TempFolder.With("text", out string text);
        File.WriteAllText(text, string.Concat(Enumerable.Repeat("All work and no play makes Jack a dull boy.\n", 3000)));
        foreach (string path in ((string[])[setting, text]).Where(File.Exists))
            foreach (Action call in (Action[])[() => MappedFiles.Salvage<Cell>(path, folder.File("new")),
                () => MappedFile<Cell>.OpenRead(path).Dispose()])
                Assert.Equal(MappedFileReason.NotThisFormat, Assert.Throws<MappedFileException>(call).Reason);
        Assert.Equal([text], Directory.GetFiles(folder.Path));
    }

    [Fact]
    public void An_empty_file_is_told_with_what_to_do()
    {
        using TempFolder folder = new();
        File.WriteAllBytes(folder.File("cells"), []);
        MappedFileException told = Assert.Throws<MappedFileException>(() => MappedFile<Cell>.OpenOrCreate(folder.File("cells")));
        Assert.Equal(MappedFileReason.NotThisFormat, told.Reason);
        Assert.Contains("is empty", told.Message);
        Assert.Contains("delete it", told.Message);
        File.Delete(folder.File("cells"));
        MappedFile<Cell>.OpenOrCreate(folder.File("cells")).Dispose();
    }

    private static string Run(string program, params string[] arguments)
    {
        (string output, string? error) = Programs.Run(program, arguments);
        Assert.Null(error);
        return output;
    }
}
