using System.Text.Json;
using System.Text.RegularExpressions;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace MemPrims.Tool.Tests;

// Options, help, exit codes, names with control characters, terminals.
public class CommandLineTests
{
    [Fact]
    public void Doctor_tells_the_tier_and_3_where_it_is_another()
    {
        string tier = Hardware.Tier.ToString(), other = tier == "Scalar" ? "Vector512" : "Scalar";
        Assert.StartsWith($"{"tier",-32}{tier}\n", Command.Run("doctor").Succeeds().Output);
        JsonElement json = JsonDocument.Parse(Command.Run("doctor", "--json").Succeeds().Output).RootElement;
        Assert.Equal(tier, json.GetProperty("tier").GetString());
        Command.Run("doctor", "--expect", tier.ToLowerInvariant()).Succeeds();
        Command.Run("doctor", "--expect", other).Fails(3, $"The tier in use is {tier}, not {other}.");
        Command.Run(["doctor", "--expect", "Scalar"], [("DOTNET_EnableHWIntrinsic", "0")]).Succeeds();
        string told = Command.Run("doctor", "--expect", "Vector1024").Fails(1, "'Scalar' 'Vector128'").Error;
        Assert.DoesNotContain("\\u{", told);
    }

    [Theory, InlineData("frobnicate"), InlineData("doctor", "--expect", "Vector1024"), InlineData("doctor", "extra"), InlineData("file")]
    [InlineData("file", "info"), InlineData("sweep", "--seconds", "0"), InlineData("sweep", "--seconds", "NaN")]
    [InlineData("file", "info", "a\u001b[31m", "b\u001b[31m"), InlineData("file", "info", "")]
    [InlineData("file", "verify", "a", "--layout", ""), InlineData("file", "salvage", "a", ""), InlineData("sweep", "--csv", "")]
    [InlineData("sweep", "--svg="), InlineData("message", "decode", "--schema", "", "--type", "a", "b")]
    [InlineData("message", "decode", "--schema", "a", "--type", "a", "")]
    public void A_wrong_command_line_ends_with_1_and_a_line(params string[] arguments) =>
        Assert.Empty(Command.Run(arguments).Fails(1, "--help").Output);

    [Theory, InlineData("There is no command frobnicate: see memprims --help.", "frobnicate")]
    [InlineData("There is no command frobnicate: see memprims file --help.", "file", "frobnicate", "--json")]
    [InlineData("There is no option --jsn: see memprims doctor --help.", "doctor", "--jsn")]
    [InlineData("b is one argument too many: see memprims file info --help.", "file", "info", "a", "b")]
    public void What_is_unknown_is_told_in_one_sentence(string sentence, params string[] arguments) =>
        Assert.Equal($"memprims: {sentence}\n", Command.Run(arguments).Fails(1, "").Error);

    [Theory, InlineData("--limit takes a number from 0 on.", "file", "dump", "x", "--limit", "many")]
    [InlineData("--limit takes a number from 0 on.", "file", "dump", "x", "--limit", "-1")]
    [InlineData("--seconds takes a number above 0 and below 60.", "sweep", "--seconds", "a")]
    [InlineData("--seconds takes a number above 0 and below 60.", "sweep", "--seconds", "60")]
    public void A_number_that_is_none_is_told_once(string sentence, params string[] arguments) => Assert.Matches(
        $"^memprims: {Regex.Escape(sentence)} See memprims [a-z ]+ --help.\n$", Command.Run(arguments).Fails(1, "").Error);

    [Fact]
    public void The_help_of_a_dump_tells_its_default_and_how_bytes_are_written()
    {
        string help = Command.Run("file", "dump", "--help").Succeeds().Output;
        Assert.DoesNotContain("9223372036854775807", help);
        Assert.Contains("[default: all]", help);
        Assert.Contains("0x", help);
    }

    // In a folder that has the files which the examples name. A sweep takes a minute, so each is told to be quick.
    [Fact]
    public void Every_example_of_the_help_works()
    {
        using TempFolder folder = new();
        Samples.Pages(folder.File("orders.pages"));
        using (Pages.MappedPages pages = Pages.MappedPages.Open(folder.File("orders.pages"))) pages.Tree("by city"u8).Set("Oslo"u8, []);
        Samples.Log(folder.File("log"));
        Samples.Records(folder.File("stats.rec"));
        File.Copy(Samples.Layout, folder.File("App.recordlayout"));
        Samples.Make("set", folder.File("ids.roaring"));
        FileDescriptorProto file = new() { Name = "app.proto", Package = "app", MessageType = { new DescriptorProto { Name = "Order" } } };
        File.WriteAllBytes(folder.File("app.pb"), new FileDescriptorSet { File = { file } }.ToByteArray());
        File.WriteAllBytes(folder.File("order.bin"), [8, 1]);
        string[] examples = [.. Command.Run("--help").Succeeds().Lines.SkipWhile(line => line != "Examples:").Skip(1)];
        Assert.True(examples.Length >= 10);
        foreach (string example in examples)
        {
            string[] words = [.. Regex.Matches(example.Trim().Split("  ")[0].Replace("/var/lib/app/", ""), "\"[^\"]*\"|\\S+")
                .Select(word => word.Value.Trim('"')).Skip(1)];
            if (words[0] == "sweep") words = [.. words, "--seconds", "0.001"];
            Ended ended = Command.Run(words, [], folder: folder.Path).Plain();
            Assert.True(ended.Code == 0 || (ended.Code == 3 && words.Contains("--expect")), $"{example}: {ended}");
            Assert.NotEqual("", ended.Output);
        }
    }

    [Theory]
    [InlineData]
    [InlineData("doctor")]
    [InlineData("sweep")]
    [InlineData("file")]
    [InlineData("file", "info")]
    [InlineData("file", "verify")]
    [InlineData("file", "dump")]
    [InlineData("file", "salvage")]
    [InlineData("message")]
    [InlineData("message", "decode")]
    public void Help_has_examples_of_the_command(params string[] command)
    {
        string[] lines = Command.Run([.. command, "--help"]).Succeeds().Lines;
        string[] examples = [.. lines.SkipWhile(line => line != "Examples:").Skip(1)];
        Assert.NotEmpty(examples);
        Assert.All(examples, line => Assert.StartsWith(string.Join(' ', ["  memprims", .. command]), line));
    }

    [Fact]
    public void The_page_has_the_examples_of_the_help()
    {
        string[] help = [.. Command.Run("--help").Succeeds().Lines.SkipWhile(line => line != "Examples:").Skip(1)];
        string[] page = [.. Repository.Read("src/MemPrims.Tool/README.md").Split('\n').Where(line => line.StartsWith("    memprims "))
            .Select(line => line.Split('#')[0].Trim())];
        Assert.True(page.Length >= 5);
        Assert.All(page, line => Assert.Contains(help, example => example.Trim().StartsWith(line + " ")));
    }

    [Fact]
    public void The_page_tells_the_codes_that_the_command_has()
    {
        string page = Repository.Read("src/MemPrims.Tool/README.md");
        Assert.All((string[])["| 0 |", "| 1 |", "| 2 |", "| 3 |"], code => Assert.Contains(code, page));
    }

    [Fact]
    public void A_name_that_would_move_the_terminal_is_escaped()
    {
        if (OperatingSystem.IsWindows()) return;
        using TempFolder folder = TempFolder.With("a\u001b[31m\u009b\nb\u202E.set", out string path);
        Samples.Make("set", path);
        Ended info = Command.Run("file", "info", path).Succeeds();
        Assert.Contains("a\\u{1B}[31m\\u{9B}\\u{A}b\\u{202E}.set", info.Output);
        Assert.DoesNotContain('\u202E', info.Output);
        Assert.Equal(path, JsonDocument.Parse(Command.Run("file", "info", path, "--json").Succeeds().Output).RootElement
            .GetProperty("path").GetString());
        Samples.Damage(path, 4);
        Assert.DoesNotContain('\u202E', Command.Run("file", "verify", path).Fails(2, "").Error);
        Command.Run("file", "info", path + "x").Fails(1, "a\\u{1B}[31m");
        Command.Run("file", "frob\u001b[31m").Fails(1, "frob\\u{1B}[31m");
    }

    // A command that opens one of these pipes to read waits: nobody writes to it.
    [Theory, InlineData("info", "pipe", "link", "/dev/stdin", "/proc/self/fd/0", "/dev/fd/3", "<(cat records 2>&-)", "/dev/zero")]
    [InlineData("info records --layout", "pipe", "/dev/fd/3", "<(cat records 2>&-)"), InlineData("verify", "link", "<(cat records 2>&-)")]
    [InlineData("dump", "link", "<(cat records 2>&-)"), InlineData("salvage", "link out", "<(cat records 2>&-) out")]
    public void A_pipe_is_refused_and_not_waited_for(string command, params string[] paths)
    {
        if (!OperatingSystem.IsLinux()) return;
        using TempFolder folder = new();
        Samples.Records(folder.File("records"));
        Command.InShell("mkfifo pipe; ln -s pipe link", folder.Path).Succeeds();
        foreach (string path in paths)
            Command.InShell($"exec 3<>pipe; memprims file {command} {path} <&3", folder.Path)
                .Fails(1, "is a pipe or a device, no file. Give a file:");
        Assert.False(Path.Exists(folder.File("out")));
    }

    [Fact]
    public void What_is_empty_is_refused_and_a_link_is_followed()
    {
        if (OperatingSystem.IsWindows()) return;
        using TempFolder folder = new();
        Samples.Make("set64", folder.File("set"));
        File.WriteAllBytes(folder.File("none"), new Sets.IdSet64().ToByteArray());
        File.WriteAllText(folder.File("empty"), "");
        foreach (string name in (string[])["set", "none", "empty"]) File.CreateSymbolicLink(folder.File($"to {name}"), folder.File(name));
        foreach (string name in (string[])["empty", "to empty"]) Command.Run("file", "info", folder.File(name)).Fails(1, "is empty.");
        foreach (string name in (string[])["set", "to set", "none", "to none"])
            Assert.Contains("a set of 64-bit ids", Command.Run("file", "info", folder.File(name)).Succeeds().Output);
    }

    [Theory, InlineData(1, "file info none"), InlineData(1, "frobnicate"), InlineData(2, "file verify damaged")]
    [InlineData(3, "doctor --expect"), InlineData(0, "sweep --only 'Copy 0 B' --seconds 0.001")]
    public void Where_standard_error_takes_nothing_the_code_still_tells(int code, string arguments)
    {
        if (!OperatingSystem.IsLinux()) return;
        using TempFolder folder = new();
        Samples.Make("set", folder.File("damaged"));
        Samples.Damage(folder.File("damaged"), 4);
        if (code == 3) arguments += $" {(Hardware.Tier == Tier.Scalar ? Tier.Vector128 : Tier.Scalar)}";
        foreach (string to in (string[])["2>/dev/full", "2>&-"])
            Assert.Equal(code, Command.InShell($"memprims {arguments} {to}", folder.Path).Code);
    }

    [Theory, InlineData("doctor"), InlineData("--help"), InlineData("file info set"), InlineData("file dump set")]
    public void Where_standard_output_takes_nothing_the_code_is_1(string arguments)
    {
        if (!OperatingSystem.IsLinux()) return;
        using TempFolder folder = new();
        Samples.Make("set", folder.File("set"));
        Command.InShell($"memprims {arguments} >/dev/full", folder.Path).Fails(1, "No space left");
        Assert.Equal(1, Command.InShell($"memprims {arguments} >/dev/full 2>/dev/full", folder.Path).Code);
    }

    [Theory, InlineData("--tree="), InlineData("--tree:")]
    public void An_empty_value_may_follow_the_name_of_an_option(string option)
    {
        using TempFolder folder = TempFolder.With("pages", out string path);
        Samples.Pages(path);
        string[] lines = Command.Run("file", "dump", path, "--tree", "", "--limit", "2").Succeeds().Lines;
        Assert.Equal(2, lines.Length);
        Assert.Equal(lines, Command.Run("file", "dump", path, option, "--limit", "2").Succeeds().Lines);
        Assert.Equal(lines, Command.Run("file", "dump", option, path, "--limit=2").Succeeds().Lines);
        Command.Run("file", "dump", path, "--layout=", "--limit", "1").Fails(1, "A path is not empty.");
        Command.Run("file", "info", "--", option).Fails(1, $"There is no file {option}.");
    }

    [Fact]
    public void A_name_that_begins_with_at_is_a_file()
    {
        using TempFolder folder = new();
        Samples.Make("set", folder.File("@ids"));
        Assert.Contains("a set of ids", Command.Run(["file", "info", "@ids"], [], folder: folder.Path).Succeeds().Output);
        Command.Run("file", "info", "@none").Fails(1, "There is no file @none.");
    }

    [Fact]
    public void A_sweep_goes_to_files_without_escapes()
    {
        using TempFolder folder = TempFolder.With("s.csv", out string csv);
        string plots = folder.File("plots");
        Ended ended = Command.Run("sweep", "--only", "Copy 1", "--seconds", "0.001", "--csv", csv, "--svg", plots).Plain();
        Assert.Equal(0, ended.Code);
        Assert.Contains("Copy against Buffer.MemoryCopy", ended.Output);
        Assert.Contains("measuring blocks", ended.Error);
        string[] rows = File.ReadAllLines(csv);
        Assert.StartsWith("operation,case,peer,", rows[0]);
        Assert.All(rows[1..], row => Assert.Equal(rows[0].Count(c => c == ','), row.Count(c => c == ',')));
        Assert.All(rows[1..], row => Assert.StartsWith("Copy,", row));
        Assert.Equal("copy.svg", Path.GetFileName(Assert.Single(Directory.GetFiles(plots))));
        System.Xml.Linq.XDocument.Load(Path.Combine(plots, "copy.svg"));
        Ended told = Command.Run("sweep", "--only", "Equal 0 B", "--seconds", "0.001", "--json");
        JsonElement json = JsonDocument.Parse(told.Output).RootElement;
        Assert.Equal("Equal", Assert.Single(json.GetProperty("Results").EnumerateArray()).GetProperty("Operation").GetString());
    }

    [Fact]
    public void A_sweep_of_nothing_or_to_nowhere_ends_with_1()
    {
        using TempFolder folder = new();
        Command.Run("sweep", "--only", "no such case").Fails(1, "--only");
        Command.Run("sweep", "--csv", Path.Combine(folder.Path, "none", "s.csv")).Fails(1, "none");
    }

    [Theory, InlineData(null, true), InlineData("1", false)]
    public void A_terminal_has_colors_unless_NO_COLOR_is_set(string? noColor, bool hasColors)
    {
        if (!File.Exists(Command.Terminal)) return;
        string output = Command.InTerminal("sweep --only '0 B' --seconds 0.001", noColor);
        Assert.Contains("geometric mean", output);
        // The table grows while it measures: it is there before the last case, and is drawn again.
        Assert.True(Regex.Count(output, "Equal against SequenceEqual") > 1);
        Assert.Contains("measuring blocks", output);
        Assert.Equal(hasColors, Regex.IsMatch(output, "\u001b\\[[0-9;]*(3[0-9]|9[0-9]|38;5;[0-9]+)m"));
    }

    [Fact]
    public void A_terminal_has_a_bar_while_a_file_is_checked()
    {
        if (!File.Exists(Command.Terminal)) return;
        using TempFolder folder = TempFolder.With("visits", out string path);
        Samples.Records(path);
        string output = Command.InTerminal($"file verify '{path}'");
        Assert.Contains("checking", output);
        Assert.EndsWith($"{"sound",-32}yes", output.TrimEnd());
    }
}
