using System.Diagnostics;
using System.Security.Cryptography;
using System.Text.Json;
using MemPrims.Pages;

namespace MemPrims.Tool.Tests;

// `file info`, `verify` and `dump` on sound files of each kind: what they say, and that they change nothing.
public class FileTests
{
    [Theory]
    [MemberData(nameof(Samples.Kinds), MemberType = typeof(Samples))]
    public void A_sound_file_is_told_and_left_as_it_is(string kind, string name)
    {
        using TempFolder folder = TempFolder.With("sample", out string path);
        Samples.Make(kind, path);
        Dictionary<string, string> before = State(path);

        Assert.Contains(Line("kind", name), Command.Run("file", "info", path).Succeeds().Output);
        Ended verified = Command.Run("file", "verify", path).Succeeds();
        Assert.Contains(Line("kind", name), verified.Output);
        Assert.EndsWith(Line("sound", "yes") + "\n", verified.Output);
        Assert.NotEmpty(Command.Run("file", "dump", path).Succeeds().Lines);
        Assert.Equal(before, State(path));
    }

    [Theory]
    [MemberData(nameof(Samples.Kinds), MemberType = typeof(Samples))]
    public void Json_can_be_read(string kind, string name)
    {
        using TempFolder folder = TempFolder.With("sample", out string path);
        Samples.Make(kind, path);
        JsonElement info = JsonDocument.Parse(Command.Run("file", "info", path, "--json").Succeeds().Output).RootElement;
        Assert.StartsWith(name, info.GetProperty("kind").GetString());
        Assert.Equal(path, info.GetProperty("path").GetString());
        Assert.True(JsonDocument.Parse(Command.Run("file", "verify", path, "--json").Succeeds().Output).RootElement
            .GetProperty("sound").GetBoolean());
        string[] lines = Command.Run("file", "dump", path, "--json", "--limit", "2").Succeeds().Lines;
        Assert.Equal(2, lines.Length);
        Assert.All(lines, line => Assert.Equal(JsonValueKind.Object, JsonDocument.Parse(line).RootElement.ValueKind));
    }

    [Fact]
    public void Records_are_dumped_with_their_values_by_the_layout()
    {
        using TempFolder folder = TempFolder.With("visits", out string path);
        Samples.Records(path);
        string[] lines = Command.Run("file", "dump", path, "--layout", Samples.Layout).Succeeds().Lines;
        Assert.Equal(Samples.Visits - 1, lines.Length);
        Assert.Equal("0\t0\t/page/0\tTrue\t0xFF00", lines[0]);
        Assert.Equal("8\t8\t/page/8\tTrue\t0xFF08", lines[7]);
        JsonElement second = JsonDocument.Parse(
            Command.Run("file", "dump", path, "--layout", Samples.Layout, "--json").Succeeds().Lines[1]).RootElement;
        Assert.Equal((1, 1, "/page/1", false), (second.GetProperty("id").GetInt32(), second.GetProperty("0").GetInt32(),
            second.GetProperty("1").GetString(), second.GetProperty("2").GetBoolean()));
        Assert.Equal([0xFF, 1], second.GetProperty("3").GetBytesFromBase64());
        Assert.Contains("0x00007001 v1", Command.Run("file", "info", path, "--layout", Samples.Layout).Succeeds().Output);
    }

    [Fact]
    public void Records_without_a_layout_are_dumped_as_bytes()
    {
        using TempFolder folder = TempFolder.With("visits", out string path);
        Samples.Records(path);
        string[] lines = Command.Run("file", "dump", path).Succeeds().Lines;
        Assert.Equal(Samples.Visits - 1, lines.Length);
        // The count, then the texts' places, and "/page/9" somewhere in the tail.
        Assert.StartsWith("9\t0x0900000000000000", lines[8]);
        Assert.Contains(Convert.ToHexString("/page/9"u8), lines[8]);
    }

    [Fact]
    public void A_layout_of_other_records_is_refused()
    {
        using TempFolder folder = TempFolder.With("visits", out string path);
        string layout = folder.File("Other.recordlayout");
        Samples.Records(path);
        File.WriteAllText(layout, "0x00007001 v1 = 0:i64@0 1:utf8(24)@8 2:bool@12 3:bytes(9)@16\n");
        Command.Run("file", "dump", path, "--layout", layout).Fails(1, "no line for version 1 of record 0x00007001");
        Command.Run("file", "verify", path, "--layout", folder.File("none")).Fails(1, "none");
    }

    // The file's hash is made that of the line, so that the line is taken.
    [Theory, InlineData("x"), InlineData("0x00007001 v1 = 0:i64@99999999999"), InlineData("0x00007001 v1 = 0:i64@-1 1:i64@\u0663")]
    [InlineData("0x00007001 v1 = 0:i64@15"), InlineData("0x00007001 v1 = 0:u8[21]@0"), InlineData("0x00007001 v1 = 0:guid[2147483647]@0")]
    [InlineData("0x00007001 v1 = 0:utf8(24)@17"), InlineData("0x00007001 v1 = 0:i64?@12")]
    public void A_line_that_is_no_layout_is_refused(string line)
    {
        using TempFolder folder = TempFolder.With("visits", out string path);
        string layout = folder.File("Odd.recordlayout");
        Samples.Records(path);
        File.WriteAllText(layout, $"{line}\n");
        ulong hash = 14695981039346656037;
        foreach (char c in line) hash = (hash ^ c) * 1099511628211;
        using (FileStream file = File.OpenWrite(path))
            foreach (int slot in (int[])[0, 4096])
            {
                file.Position = slot + 32;
                file.Write(BitConverter.GetBytes(hash));
            }
        Command.Run("file", "dump", path, "--layout", layout).Fails(1, "is no layout of records with 20 fixed bytes");
    }

    [Fact]
    public void A_log_is_dumped_by_its_folder_and_by_a_file_of_it()
    {
        using TempFolder folder = TempFolder.With("log", out string path);
        Samples.Log(path);
        string[] lines = Command.Run("file", "dump", path).Succeeds().Lines;
        Assert.Equal(100, lines.Length);
        Assert.Equal("64\t7\t\"entry 0\"", lines[0]);
        Assert.Equal(lines, Command.Run("file", "dump", Directory.GetFiles(path, "*.log")[0]).Succeeds().Lines);
        Assert.Contains(Line("closed cleanly", "yes"), Command.Run("file", "info", path).Succeeds().Output);
    }

    [Fact]
    public void What_is_dumped_cannot_move_the_terminal()
    {
        using TempFolder folder = TempFolder.With("log", out string path);
        byte[] payload = "a\u001b[2J\r\n\u009b31m\u202E\t\""u8.ToArray();
        using (Records.LogFile log = Records.LogFile.Create(path)) log.Append(payload);
        Ended ended = Command.Run("file", "dump", path).Succeeds();
        Assert.Equal($"64\t17\t0x{Convert.ToHexString(payload)}", Assert.Single(ended.Lines));
        JsonElement json = JsonDocument.Parse(Command.Run("file", "dump", path, "--json").Succeeds().Output).RootElement;
        Assert.Equal(payload, json.GetProperty("payload").GetBytesFromBase64());
    }

    [Fact]
    public void A_log_and_records_are_read_beside_their_writer()
    {
        using TempFolder folder = TempFolder.With("log", out string log);
        string visits = folder.File("visits");
        using Records.LogFile writer = Records.LogFile.Create(log);
        writer.Append("one"u8);
        writer.Sync();
        Assert.Single(Command.Run("file", "dump", log).Succeeds().Lines);
        Samples.Records(visits);
        using Records.MappedFile<Visit> file = Records.MappedFile<Visit>.Open(visits);
        file.Update(3, static visit => visit.Count = 77);
        string[] lines = Command.Run("file", "dump", visits, "--layout", Samples.Layout).Succeeds().Lines;
        Assert.StartsWith("3\t77\t", lines[3]);
        Command.Run("file", "verify", visits).Succeeds();
        file.Update(3, static visit => visit.Count = 78);
    }

    [Fact]
    public void A_dump_that_takes_long_does_not_hold_up_the_writer()
    {
        using TempFolder folder = TempFolder.With("visits", out string path);
        Samples.Records(path, 5000);
        using Records.MappedFile<Visit> file = Records.MappedFile<Visit>.Open(path, new() { PinTimeout = TimeSpan.FromMilliseconds(100) });
        // Nobody reads what it writes, so it stops when the pipe is full.
        using Process dump = Command.Start(["file", "dump", path]);
        Assert.True(dump.StandardOutput.Read() >= 0);
        for (int i = 0; i < 4; i++) file.Update(3, static visit => visit.Count++);
        Assert.False(dump.HasExited);
        Assert.Equal(5000 - 1, dump.StandardOutput.ReadToEnd().Count(c => c == '\n'));
        dump.WaitForExit();
        Assert.Equal(0, dump.ExitCode);
    }

    [Fact]
    public void Trees_are_dumped_each_after_its_name()
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        Samples.Pages(path);
        string[] lines = Command.Run("file", "dump", path).Succeeds().Lines;
        Assert.Equal(251 + 50, lines.Length);
        Assert.Equal("\"\"\t\"key 0000\"\t\"value 0\"", lines[0]);
        Assert.Equal("\"users\"\t\"user 0\"\t0x00FF", lines[251]);
        Ended info = Command.Run("file", "info", path).Succeeds();
        Assert.Contains(Line("tree \"users\"", "50 entries"), info.Output);
        Assert.Contains(Line("closed cleanly", "yes"), info.Output);
    }

    // Text in quotes or hexadecimal digits, never a part of each.
    [Fact]
    public void A_key_is_text_or_digits()
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        using (MappedPages file = MappedPages.Create(path))
        {
            SortedTree tree = file.Tree("\u0001"u8);
            foreach (byte[] key in (byte[][])["a\"b"u8.ToArray(), "a\\u{0}"u8.ToArray(), [0, 0, 7], [0xFF], "Østbanen"u8.ToArray()])
                tree.Set(key, "v"u8);
        }
        Assert.Equal(["0x000007", "\"a\"b\"", "\"a\\u{0}\"", "\"Østbanen\"", "0xFF"],
            Command.Run("file", "dump", path).Succeeds().Lines.Select(line => line.Split('\t')[1]));
        Assert.Equal(5, Command.Run("file", "dump", path, "--tree", "0x01").Succeeds().Lines.Length);
    }

    [Fact]
    public void One_tree_of_a_file_is_dumped_by_its_name()
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        string set = folder.File("set");
        Samples.Pages(path);
        using (MappedPages file = MappedPages.Open(path)) file.Tree("empty"u8);
        string[] all = Command.Run("file", "dump", path).Succeeds().Lines;
        Assert.Equal(all[251..], Command.Run("file", "dump", path, "--tree", "users").Succeeds().Lines);
        Assert.Equal(all[251..], Command.Run("file", "dump", path, "--tree", "\"users\"").Succeeds().Lines);
        Assert.Equal(all[..251], Command.Run("file", "dump", path, "--tree", "").Succeeds().Lines);
        Command.Run("file", "dump", path, "--layout", path).Fails(1, "only files of records have a layout");
        Assert.Empty(Command.Run("file", "dump", path, "--tree", "empty").Succeeds().Lines);
        Assert.Equal(3, Command.Run("file", "dump", path, "--tree", "users", "--json", "--limit", "3").Succeeds().Lines.Length);
        Command.Run("file", "dump", path, "--tree", "user").Fails(1, "has no tree user. It has tree without a name, tree \"empty\"");
        Samples.Make("set", set);
        Command.Run("file", "dump", set, "--tree", "users").Fails(1, "--tree is for sorted pages");
    }

    [Fact]
    public void Sets_and_facets_are_dumped()
    {
        using TempFolder folder = TempFolder.With("set", out string set);
        string wide = folder.File("set64"), facets = folder.File("facets");
        Samples.Make("set", set);
        Samples.Make("set64", wide);
        Samples.Facets(facets);
        Assert.Equal(["3", "5", "70000", "200000"], Command.Run("file", "dump", set).Succeeds().Lines[..4]);
        Assert.Equal(9003, Command.Run("file", "dump", set).Succeeds().Lines.Length);
        Assert.Equal(["3", "5", $"{1UL << 40}"], Command.Run("file", "dump", wide).Succeeds().Lines);
        Assert.Equal(["\"red\"\t334", "\"blue\"\t666"], Command.Run("file", "dump", facets).Succeeds().Lines);
        Assert.Empty(Command.Run("file", "dump", set, "--limit", "0").Succeeds().Lines);
    }

    private static string Line(string name, string value) => $"{name,-32}{value}";

    // The bytes and the time of each file.
    private static Dictionary<string, string> State(string path) =>
        (Directory.Exists(path) ? Directory.GetFiles(path) : [path]).ToDictionary(file => file,
            file => $"{File.GetLastWriteTimeUtc(file):O} {Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(file)))}");

    // The name may mean another file by then, or none.
    [Fact]
    public void What_is_checked_is_the_file_that_was_opened()
    {
        using TempFolder folder = TempFolder.With("set", out string path);
        Samples.Make("set", path);
        long length = new FileInfo(path).Length;
        using Files.MappedBytes bytes = new(path);
        File.Delete(path);
        bytes.RequireAll();
        Assert.Equal(length, bytes.Length);
    }
}
