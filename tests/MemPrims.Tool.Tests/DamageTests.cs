using System.Diagnostics;
using MemPrims.Pages;

namespace MemPrims.Tool.Tests;

// Damaged, foreign, empty, missing and busy files: every command ends with its code and one line.
public class DamageTests
{
    // A kind, and the byte that is turned over in the sample. Negative: from the end.
    public static TheoryData<string, int> Places => new()
    {
        { "records", 8192 + 200 }, { "log", 64 + 34 }, { "pages", 2 * 512 + 8 }, { "set", 4 }, { "set64", 8 + 4 + 4 }, { "facets", -200 },
    };

    [Theory]
    [MemberData(nameof(Places))]
    public void A_damaged_file_ends_with_2(string kind, int at)
    {
        using TempFolder folder = new();
        string path = Damaged(folder, kind, at);
        Ended verified = Command.Run("file", "verify", path).Fails(2, "");
        Assert.Contains($"{"sound",-32}no", verified.Output);
        Assert.Contains("kind", verified.Output);
        Assert.Contains("\"sound\": false", Command.Run("file", "verify", path, "--json").Fails(2, "").Output);
        Command.Run("file", "dump", path).Fails(2, "");
    }

    [Theory]
    [MemberData(nameof(Samples.Kinds), MemberType = typeof(Samples))]
    public void A_file_cut_short_anywhere_never_crashes(string kind, string name)
    {
        using TempFolder folder = TempFolder.With("sample", out string path);
        Samples.Make(kind, path);
        string file = kind == "log" ? Directory.GetFiles(path, "*.log")[0] : path;
        byte[] whole = File.ReadAllBytes(file);
        string entries = Command.Run("file", "dump", path).Succeeds().Output;
        int half = whole.Length / 2;
        foreach (int length in LongRuns.Of<int[]>([17, half], [1, 3, 8, 9, 17, 40, 100, 600, 5000, half, whole.Length - 1]))
        {
            if (length >= whole.Length) continue;
            File.WriteAllBytes(file, whole[..length]);
            Ended[] all = [.. ((string[])["info", "verify", "dump"]).Select(verb => Command.Run("file", verb, path).Plain())];
            Assert.All(all, ended => Assert.True(ended.Code is 0 or 1 or 2, $"{length} bytes of {name}: {ended}"));
            // What is sound all the same has lost nothing, as a copy of a page that is not in use. A log ends where its bytes end: what is
            // missing there may never have been acknowledged.
            if (all[1].Code != 0) continue;
            Assert.Equal(0, all[2].Code);
            Assert.StartsWith(all[2].Output, entries);
            Assert.True(kind == "log" || all[2].Output == entries, $"{length} bytes of {name} pass for all of it.");
        }
    }

    [Theory, InlineData("info"), InlineData("verify"), InlineData("dump"), InlineData("salvage")]
    public void What_is_none_of_ours_ends_with_1(string verb)
    {
        using TempFolder folder = new();
        string[] more = verb == "salvage" ? [folder.File("new")] : [];
        string foreign = folder.File("foreign"), empty = folder.File("empty"), plain = folder.File("plain");
        File.WriteAllText(foreign, "PK\u0003\u0004 and so on, as an archive begins");
        File.WriteAllText(empty, "");
        Directory.CreateDirectory(plain);
        Command.Run(["file", verb, foreign, .. more]).Fails(1, "nothing that MemPrims writes. It begins with 0x504B0304");
        Command.Run(["file", verb, empty, .. more]).Fails(1, "is empty");
        Command.Run(["file", verb, folder.File("missing"), .. more]).Fails(1, "There is no file");
        Command.Run(["file", verb, plain, .. more]).Fails(1, "has no log");
        Assert.False(Path.Exists(folder.File("new")));
    }

    // Nothing but a hole behind the bytes that tell the kind. What reads such a file by its length does not end.
    [Theory, InlineData("zeros"), InlineData("records"), InlineData("log"), InlineData("pages"), InlineData("set"), InlineData("set64")]
    [InlineData("facets")]
    public void A_file_of_five_terabytes_of_holes_is_told_soon(string kind)
    {
        using TempFolder folder = TempFolder.With("sample", out string path);
        if (kind != "zeros") Samples.Make(kind, path);
        string file = kind == "log" ? Directory.GetFiles(path, "*.log")[0] : path;
        using (FileStream hole = File.OpenWrite(file)) hole.SetLength(5L << 40);
        foreach (string verb in (string[])["info", "verify", "dump", "salvage"])
        {
            string[] more = verb == "salvage" ? [folder.File("saved")] : [];
            Ended ended = Command.Run(["file", verb, path, .. more]).Plain();
            Assert.True(ended.Code is 0 or 1 or 2, $"{verb}: {ended}");
            Assert.DoesNotContain("   at ", ended.Error);
        }
    }

    [UserFact]
    public void What_may_not_be_read_ends_with_1()
    {
        if (OperatingSystem.IsWindows()) return;
        using TempFolder folder = TempFolder.With("set", out string path);
        Samples.Make("set", path);
        File.SetUnixFileMode(path, UnixFileMode.None);
        foreach (string verb in (string[])["info", "verify", "dump"]) Command.Run("file", verb, path).Fails(1, "denied");
        Command.Run("file", "salvage", path, folder.File("saved")).Fails(1, "denied");
    }

    [Theory, InlineData(2), InlineData(3)]
    public void A_file_of_pages_in_use_is_refused_and_left_alone(int length)
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        using (MappedPages file = MappedPages.Create(path))
        {
            new SortedTree(file).Set("key"u8, new byte[length]);
            Command.Run("file", "verify", path).Fails(1, "pages");
        }
        Command.Run("file", "verify", path).Succeeds();
    }

    [Fact]
    public void Pages_that_were_not_closed_cleanly_stay_so()
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        Samples.Pages(path);
        using (FileStream file = File.OpenWrite(path))
        {
            // Of another life of the system: the mark, and behind the checkpoint's number the life.
            file.Position = 28;
            file.Write(new byte[4]);
            file.Position = 40;
            file.Write(new byte[16]);
        }
        byte[] before = File.ReadAllBytes(path);
        Assert.Contains($"{"closed cleanly",-32}no", Command.Run("file", "info", path).Succeeds().Output);
        Command.Run("file", "verify", path).Fails(2, "not closed cleanly");
        Command.Run("file", "dump", path).Succeeds();
        Assert.Equal(before, File.ReadAllBytes(path));
        using MappedPages opened = MappedPages.Open(path);
        Assert.False(opened.WasClosedCleanly);
    }

    // A process that was killed leaves the mark of a file in use, with the life of the system in which it wrote.
    [Fact]
    public void Pages_whose_process_was_killed_are_sound_and_a_copy_of_them_is_not()
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        string copy = folder.File("copy");
        using (MappedPages file = MappedPages.Create(path))
        {
            new SortedTree(file).Set("key"u8, "value"u8);
            // Not by the runtime, which heeds the file's lock.
            using Process process = Process.Start("cp", [path, copy]);
            process.WaitForExit();
        }
        byte[] before = File.ReadAllBytes(copy);
        using (FileStream file = File.OpenWrite(path)) file.Write(before);
        Ended ended = Command.Run("file", "verify", path).Succeeds();
        Assert.Contains($"{"closed cleanly",-32}no", ended.Output);
        Assert.Contains("ended without closing it", ended.Output);
        Assert.Contains($"{"sound",-32}yes", ended.Output);
        Command.Run("file", "verify", copy).Fails(2, "not closed cleanly");
        Assert.Equal(before, File.ReadAllBytes(path));
        using MappedPages opened = MappedPages.Open(path);
        Assert.True(opened.IsIntact);
    }

    [Fact]
    public void Damage_in_the_list_of_free_pages_is_seen()
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        Samples.Pages(path);
        byte[] bytes = File.ReadAllBytes(path);
        int first = BitConverter.ToInt32(bytes, 16);
        Assert.True(first > 0, "The sample has free pages.");
        Samples.Damage(path, first * 512);
        Command.Run("file", "verify", path).Fails(2, "free pages is broken");
    }

    [Fact]
    public void A_file_of_records_whose_first_slot_is_gone_is_known_by_the_second()
    {
        using TempFolder folder = TempFolder.With("visits", out string path);
        Samples.Records(path);
        using (FileStream file = File.OpenWrite(path)) file.Write(new byte[4096]);
        Assert.Contains("a file of records", Command.Run("file", "info", path).Succeeds().Output);
        Command.Run("file", "verify", path).Succeeds();
    }

    [Theory, InlineData(0), InlineData(4096)]
    public void A_slot_with_a_wrong_checksum_is_not_believed(int slot)
    {
        using TempFolder folder = TempFolder.With("visits", out string path);
        Samples.Records(path);
        // The layout's hash: who believed it would take the other slot for one of other records.
        Samples.Damage(path, slot + 32);
        Command.Run("file", "verify", path, "--layout", Samples.Layout).Succeeds();
    }

    [Fact]
    public void A_text_that_points_outside_its_record_is_seen_with_the_layout()
    {
        using TempFolder folder = TempFolder.With("visits", out string path);
        Samples.Records(path);
        // Under a right checksum: only who knows the fields can tell.
        byte[] bytes = File.ReadAllBytes(path);
        foreach (int copy in (int[])[8192, 8192 + 4096])
        {
            Span<byte> page = bytes.AsSpan(copy, 4096);
            BitConverter.TryWriteBytes(page[(32 + 10)..], (ushort)4000);
            BitConverter.TryWriteBytes(page, Checksum.Crc32C(0, page[4..]));
        }
        File.WriteAllBytes(path, bytes);
        Command.Run("file", "dump", path, "--layout", Samples.Layout).Fails(2, "Field 1 claims");
        Command.Run("file", "verify", path, "--layout", Samples.Layout).Fails(2, "claims bytes");
    }

    internal static string Damaged(TempFolder folder, string kind, int at)
    {
        string path = folder.File("sample");
        Samples.Make(kind, path);
        string file = kind == "log" ? Directory.GetFiles(path, "*.log")[0] : path;
        Samples.Damage(file, at < 0 ? new FileInfo(file).Length + at : at);
        return path;
    }
}

// Skipped, and says so, where the user may read everything.
[AttributeUsage(AttributeTargets.Method)]
internal sealed class UserFactAttribute : FactAttribute
{
    public UserFactAttribute() => Skip = Environment.IsPrivilegedProcess ? "The test needs a user who is not root." : null;
}
