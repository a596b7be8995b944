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
