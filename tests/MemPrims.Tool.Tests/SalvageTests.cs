using System.Text.Json;
using MemPrims.Pages;
using MemPrims.Records;

namespace MemPrims.Tool.Tests;

// `file salvage`: what is sound comes through, what was lost is told, and nothing is written over.
public class SalvageTests
{
    [Theory, InlineData("records"), InlineData("log"), InlineData("pages")]
    public void A_sound_file_comes_through_whole(string kind)
    {
        using TempFolder folder = TempFolder.With("sample", out string path);
        string saved = folder.File("saved");
        Samples.Make(kind, path);
        Command.Run("file", "salvage", path, saved).Succeeds();
        Command.Run("file", "verify", saved).Succeeds();
        Assert.Equal(Payloads(kind, path), Payloads(kind, saved));
        Command.Run("file", "salvage", path, saved).Fails(1, "is there already");
    }

    [Fact]
    public void Of_records_the_whole_pages_come_through_and_the_program_opens_them()
    {
        using TempFolder folder = TempFolder.With("visits", out string path);
        string saved = folder.File("saved");
        Samples.Records(path);
        Samples.Damage(path, 8192 + 2000);
        Samples.Damage(path, 8192 + 4096 + 2000);
        Ended ended = Command.Run("file", "salvage", path, saved, "--json").Fails(2, "Parts were lost");
        Assert.Contains("neither copy of the page is whole", ended.Output);
        JsonElement report = JsonDocument.Parse(ended.Output).RootElement;
        Assert.Contains("Lost ones have default values", report.GetProperty("note").GetString());
        Assert.StartsWith("0..", report.GetProperty("lost ids")[0].GetString());
        using MappedFile<Visit> file = MappedFile<Visit>.OpenRead(saved);
        file.Verify();
        Assert.Equal(Samples.Visits, file.Count);
        Assert.Equal(Samples.Visits - 1, file.Read(Samples.Visits - 1, static visit => visit.Count));
        Assert.Equal(0, file.Read(3, static visit => visit.Count));
    }

    [Fact]
    public void Of_a_log_the_sound_frames_come_through()
    {
        using TempFolder folder = TempFolder.With("log", out string path);
        string saved = folder.File("saved");
        Samples.Log(path);
        // The payload of the second frame: a frame takes 40 bytes.
        Samples.Damage(Directory.GetFiles(path, "*.log")[0], 64 + 40 + 34);
        Ended ended = Command.Run("file", "salvage", path, saved).Fails(2, "Parts were lost");
        Assert.Contains("104..144", ended.Output);
        Assert.Contains("build its indexes again", ended.Output);
        string[] payloads = Payloads("log", saved);
        Assert.Equal(99, payloads.Length);
        Assert.Equal("\"entry 2\"", payloads[1]);
    }

    [Fact]
    public void A_log_is_not_salvaged_into_itself()
    {
        if (OperatingSystem.IsWindows()) return;
        using TempFolder folder = TempFolder.With("log", out string path);
        Samples.Log(path);
        string segment = Directory.GetFiles(path, "*.log")[0];
        Directory.CreateDirectory(folder.File("log/in"));
        Directory.CreateDirectory(folder.File("aside"));
        Directory.CreateSymbolicLink(folder.File("to log"), path);
        Directory.CreateSymbolicLink(folder.File("aside/to in"), folder.File("log/in"));
        string[] before = Directory.GetFileSystemEntries(path, "*", SearchOption.AllDirectories);
        foreach (string target in (string[])["log/new", "log/a/b", "log/../log/new", "to log/new", "aside/to in/new", "log/in/new"])
            foreach (string from in (string[])[path, folder.File("to log"), segment])
                Command.Run("file", "salvage", from, folder.File(target)).Fails(1, "is inside");
        Assert.Equal(before, Directory.GetFileSystemEntries(path, "*", SearchOption.AllDirectories));
        foreach (string target in (string[])["log2", "logs/new", "log/../new", "aside/new"])
            Command.Run(["file", "salvage", "log", target], [], folder: folder.Path).Succeeds();
    }

    [Theory, InlineData(0), InlineData(100)]
    public void Of_pages_what_the_branches_lead_to_comes_through(int seed)
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        string saved = folder.File("saved");
        Samples.Pages(path);
        // A leaf of the tree without a name; which one, the seed tells.
        byte[] bytes = File.ReadAllBytes(path);
        int[] leaves = [.. Enumerable.Range(1, bytes.Length / 512 - 1).Where(page => Holds(bytes, page, "MPg1")
            && bytes[page * 512 + 11] == 0 && Holds(bytes, page, "key "))];
        int leaf = leaves[seed % leaves.Length], entries = BitConverter.ToUInt16(bytes, leaf * 512 + 4);
        Samples.Damage(path, leaf * 512 + 8);
        Ended ended = Command.Run("file", "salvage", path, saved).Fails(2, "Parts were lost");
        Assert.Contains($"page {leaf}, keys from", ended.Output);
        Command.Run("file", "verify", saved).Succeeds();
        Assert.Equal(301 - entries, Command.Run("file", "dump", saved).Succeeds().Lines.Length);
        using MappedPages file = MappedPages.Open(saved);
        Assert.Equal(50, file.Tree("users"u8).Count);
    }

    [Fact]
    public void The_last_checkpoint_of_pages_is_gone_and_that_is_told()
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        string saved = folder.File("saved");
        using (MappedPages file = MappedPages.Create(path))
        {
            new SortedTree(file).Set("key"u8, "value"u8);
            file.Checkpoint(77);
        }
        Assert.Contains($"{"last checkpoint",-32}77", Command.Run("file", "info", path).Succeeds().Output);
        Ended ended = Command.Run("file", "salvage", path, saved).Succeeds();
        Assert.Contains($"{"last checkpoint",-32}0\n", ended.Output);
        Assert.Contains("catch up from the start", ended.Output);
        using MappedPages opened = MappedPages.Open(saved);
        Assert.Equal(0, opened.LastCheckpoint);
    }

    [Fact]
    public void Pages_that_two_branches_lead_to_are_taken_once()
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        string saved = folder.File("saved");
        Samples.Pages(path);
        byte[] bytes = File.ReadAllBytes(path);
        int top = Enumerable.Range(1, bytes.Length / 512 - 1).First(page => Holds(bytes, page, "MPg1") && bytes[page * 512 + 11] == 1);
        Span<byte> branch = bytes.AsSpan(top * 512, 512);
        int slots = 128 + 4 * BitConverter.ToUInt16(branch[6..]), children = BitConverter.ToUInt16(branch[4..]);
        for (int i = 0; i < children; i++)
        {
            int entry = BitConverter.ToUInt16(branch[(slots + 2 * i)..]), value = entry + 4 + BitConverter.ToUInt16(branch[entry..]);
            branch[24..28].CopyTo(branch[value..]);
        }
        File.WriteAllBytes(path, bytes);
        Ended ended = Command.Run("file", "salvage", path, saved).Fails(2, "Parts were lost");
        Assert.Equal(children, ended.Lines.Count(line => line.Contains("another part of the tree leads to it")));
        Command.Run("file", "verify", saved).Succeeds();
    }

    [Theory, InlineData("set"), InlineData("set64"), InlineData("facets")]
    public void Of_what_has_nothing_to_tell_by_nothing_is_salvaged(string kind)
    {
        using TempFolder folder = TempFolder.With("sample", out string path);
        string saved = folder.File("saved");
        Samples.Make(kind, path);
        Command.Run("file", "salvage", path, saved).Fails(1, "Nothing can be salvaged");
        Assert.False(File.Exists(saved));
    }

    [Fact]
    public void Records_without_any_meta_need_their_program()
    {
        using TempFolder folder = TempFolder.With("visits", out string path);
        string saved = folder.File("saved");
        Samples.Records(path);
        // Both slots keep their magic, and have a size of records that cannot be.
        using (FileStream file = File.OpenWrite(path))
            foreach (int slot in (int[])[0, 4096])
            {
                file.Position = slot + 24;
                file.Write([3, 0]);
            }
        Command.Run("file", "salvage", path, saved).Fails(2, "MappedFiles.Salvage");
        Assert.Equal(Samples.Visits, MappedFiles.Salvage<Visit>(path, saved).Records);
    }

    private static bool Holds(byte[] bytes, int page, string text) =>
        bytes.AsSpan(page * 512, 512).IndexOf(System.Text.Encoding.UTF8.GetBytes(text)) >= 0;

    // Without the positions, which change in a log.
    private static string[] Payloads(string kind, string path) =>
        [.. Command.Run("file", "dump", path).Succeeds().Lines.Select(line => kind == "log" ? line.Split('\t')[2] : line)];
}
