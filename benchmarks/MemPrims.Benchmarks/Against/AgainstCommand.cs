using System.Diagnostics;
using System.Text.Json;
using System.Text.RegularExpressions;
using MemPrims.Guard;

namespace MemPrims.Benchmarks.Against;

/// <summary>
/// `against commit`: whether something that was won has been lost. The rows of MemPrims.Guard, as they are in this checkout, are built
/// beside that commit's sources and beside these, and run in processes of either in turn, three of each in a round. A row that is slower
/// is measured for another round, and once more; it has lost when each round says so. Ends with 3 when one has, or allocates more; with 1
/// where nothing could be measured.
/// </summary>
internal static partial class AgainstCommand
{
    private const int Short = 3, Failed = 1, Repeats = 2;
    private const string Project = "benchmarks/MemPrims.Guard";

    public static int Run(string commit, string? filter)
    {
        try
        {
            string root = Git(".", "rev-parse", "--show-toplevel"), sha = Git(root, "rev-parse", "--verify", commit + "^{commit}");
            string old = Checkout(root, sha);
            Side[] sides = [new(Build(old, dropsFiles: true)), new(Build(root, dropsFiles: false))];
            string[] words = filter is null ? [] : [filter];
            MeasureRound(sides, words);
            for (int repeat = 0; repeat < Repeats && Compared(sides).Where(row => row.IsLost).ToArray() is { Length: > 0 } lost; repeat++)
                MeasureRound(sides, [.. lost.Select(row => "=" + row.Name)]);
            return Tell(sides, sha);
        }
        catch (InvalidDataException e)
        {
            Console.Error.WriteLine(e.Message);
            return Failed;
        }
    }

    private static int Tell(Side[] sides, string sha)
    {
        Compared[] rows = [.. Compared(sides)];
        if (rows.Length == 0)
            throw new InvalidDataException("No row has a name like that on both sides: without a filter all are measured.");
        Console.WriteLine(
            $"Against {sha[..10]}: ns an operation, the fastest batch of {Against.Compared.Round} processes of either side or more; ×: "
            + "the time of the peer divided by ours; bytes allocated by an operation.\n");
        Console.WriteLine("| row | before | after | change | peer | × before | × after | B before | B after | |");
        Console.WriteLine("| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | --- |");
        foreach (Compared row in rows) Console.WriteLine(row);
        foreach (int one in (int[])[0, 1])
            foreach (string name in sides[one].Rows.Keys.Except(sides[1 - one].Rows.Keys).Order(StringComparer.Ordinal))
                Console.WriteLine($"\nOnly {(one == 0 ? "before" : "after")}: {name}");
        Compared[] lost = [.. rows.Where(row => row.IsLost)];
        Console.WriteLine(lost.Length == 0
            ? $"\n{rows.Length} rows, none slower by more than {Against.Compared.Noise:0%} in every round, none allocates more."
            : $"\n{lost.Length} of {rows.Length} rows lost: {string.Join("; ", lost.Select(row => row.Name))}");
        return lost.Length == 0 ? 0 : Short;
    }

    private static IEnumerable<Compared> Compared(Side[] sides) =>
        sides[0].Rows.Where(row => sides[1].Rows.ContainsKey(row.Key)).Select(row => new Compared(row.Value, sides[1].Rows[row.Key]));

    private static void MeasureRound(Side[] sides, string[] words)
    {
        foreach (Side side in Enumerable.Repeat(sides, Against.Compared.Round).SelectMany(pair => pair))
        {
            ProcessStartInfo start = new("dotnet", [side.Program, .. words]) { RedirectStandardOutput = true };
            using Process child = Process.Start(start)!;
            while (child.StandardOutput.ReadLine() is { } line)
            {
                Measured measured = JsonSerializer.Deserialize<Measured>(line)!;
                if (!side.Rows.TryGetValue(measured.Row, out List<Measured>? runs)) side.Rows[measured.Row] = runs = [];
                runs.Add(measured);
            }
            child.WaitForExit();
            if (child.ExitCode != 0) throw new InvalidDataException($"{side.Program} ended with {child.ExitCode}.");
        }
    }

    /// <summary>The commit in a work tree of its own, with this checkout's rows. It stays, so the next time its build is there.</summary>
    private static string Checkout(string root, string sha)
    {
        string tree = Path.Combine(Path.GetTempPath(), $"memprims-against-{sha[..10]}"), rows = Path.Combine(tree, Project);
        if (!Directory.Exists(tree))
        {
            Git(root, "worktree", "prune");
            Git(root, "worktree", "add", "--detach", tree, sha);
        }
        if (Git(tree, "rev-parse", "HEAD") != sha) throw new InvalidDataException($"{tree} is no checkout of {sha}: remove it.");
        foreach (string file in Directory.Exists(rows) ? Sources(rows) : []) File.Delete(file);
        string from = Path.Combine(root, Project);
        foreach (string file in Sources(from))
        {
            string to = Path.Combine(rows, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(to)!);
            File.Copy(file, to);
        }
        return tree;
    }

    private static IEnumerable<string> Sources(string folder) => Directory.EnumerateFiles(folder, "*.cs*", SearchOption.AllDirectories)
        .Where(file => Path.GetRelativePath(folder, file).Split(Path.DirectorySeparatorChar)[0] is not ("bin" or "obj")).ToArray();

    /// <summary>Builds the rows; a file of them that an older API does not fit is left out there, and told.</summary>
    private static string Build(string tree, bool dropsFiles)
    {
        string rows = Path.Combine(tree, Project);
        while (true)
        {
            (int code, string output) = Start(tree, "dotnet", "build", rows, "-c", "Release", "-v", "quiet", "-nologo",
                "-p:RunAnalyzers=false",
                "-p:TreatWarningsAsErrors=false", "-p:UseSharedCompilation=false", "-nodeReuse:false");
            if (code == 0) return Path.Combine(rows, "bin/Release/net10.0/MemPrims.Guard.dll");
            Match[] errors = [.. ErrorOfFile().Matches(output).Where(error => File.Exists(error.Groups[1].Value))
                .Where(error => Path.GetDirectoryName(error.Groups[1].Value) == Path.Combine(rows, "Rows"))
                .DistinctBy(error => error.Groups[1].Value)];
            if (!dropsFiles || errors.Length == 0) throw new InvalidDataException($"{rows} does not build:\n{output}");
            foreach (Match error in errors)
            {
                Console.Error.WriteLine($"Left out before: {Path.GetFileName(error.Groups[1].Value)}, {error.Groups[2].Value.Trim()}");
                File.Delete(error.Groups[1].Value);
            }
        }
    }

    private static string Git(string folder, params string[] words)
    {
        (int code, string output) = Start(folder, "git", words);
        return code == 0 ? output.Trim() : throw new InvalidDataException($"git {string.Join(' ', words)} in {folder} failed:\n{output}");
    }

    private static (int Code, string Output) Start(string folder, string program, params string[] words)
    {
        using Process child = Process.Start(new ProcessStartInfo(program, words)
        { WorkingDirectory = folder, RedirectStandardOutput = true, RedirectStandardError = true })!;
        Task<string> errors = child.StandardError.ReadToEndAsync();
        string output = child.StandardOutput.ReadToEnd();
        child.WaitForExit();
        return (child.ExitCode, child.ExitCode == 0 ? output : output + errors.Result);
    }

    [GeneratedRegex(@"^\s*(\S[^\n(]*\.cs)\([\d,]+\): error ([^\n\[]*)", RegexOptions.Multiline)]
    private static partial Regex ErrorOfFile();

    private sealed record Side(string Program)
    {
        public Dictionary<string, List<Measured>> Rows { get; } = [];
    }
}
