using System.Diagnostics;
using System.Runtime.Versioning;
using MemPrims.Records.Tests.Faults;

namespace MemPrims.Records.Tests;

/// <summary>Names, links and owners of files.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class PathTests
{
    [Theory]
    [InlineData(217)]
    [InlineData(218)]
    [InlineData(240)]
    [InlineData(255)]
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

    [Theory]
    [InlineData("deleted")]
    [InlineData("replaced")]
    [InlineData("moved")]
    public void A_synced_commit_into_a_file_that_no_path_leads_to_is_refused(string how)
    {
        using TempFolder folder = new();
        string path = folder.File("cells");
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
        using TempFolder folder = new();
        string path = folder.File("cells");
        MappedFile<Cell>.Create(path).Dispose();
        if (!Environment.IsPrivilegedProcess) throw new SkipTestException("needs to give a file to another user");
        Assert.Equal("", Run("chown", "1234:4321", path));
        MappedFiles.Compact<Cell>(path);
        Assert.Equal("1234:4321", Run("stat", "-c", "%u:%g", path));
    }

    [Fact]
    public void What_cannot_be_mapped_is_told_by_salvage_too()
    {
        const string unmappable = "/sys/kernel/mm/transparent_hugepage/enabled";
        if (!File.Exists(unmappable)) return;
        using TempFolder folder = new();
        MappedFileException told = Assert.Throws<MappedFileException>(() => MappedFiles.Salvage<Cell>(unmappable, folder.File("new")));
        Assert.Equal(MappedFileReason.IoError, told.Reason);
        Assert.Empty(Directory.GetFiles(folder.Path));
    }

    private static string Run(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return output.Trim();
    }
}
