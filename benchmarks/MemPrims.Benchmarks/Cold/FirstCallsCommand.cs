using System.Diagnostics;
using System.Globalization;
using System.IO.Compression;
using System.Text;
using MemPrims.Benchmarks.Publish;

namespace MemPrims.Benchmarks.Cold;

/// <summary>
/// `first-calls folder`: how long the first call of a process takes with the plain assemblies of the packages in that folder, and with the
/// precompiled ones. Each figure is the median of eleven new processes with one processor; the two sides take turns.
/// </summary>
internal static class FirstCallsCommand
{
    private const int Children = 11;
    private static readonly string[] s_packages = ["MemPrims", "MemPrims.Records", "MemPrims.Channels", "MemPrims.Wire"];

    public static int Run(DirectoryInfo packages, string? filter, DirectoryInfo results)
    {
        if (!OperatingSystem.IsLinux())
        {
            Console.Error.WriteLine("The packages carry precompiled code for Linux only.");
            return 1;
        }
        DirectoryInfo work = Directory.CreateTempSubdirectory("memprims-first-calls");
        try
        {
            string plain = Program(packages, work, "plain", "lib/net10.0/");
            string precompiled = Program(packages, work, "precompiled", "runtimes/linux-x64/lib/net10.0/");
            ColdCommand.HoldToOneProcessor();
            Machine machine = Machine.Here();
            StringBuilder page = new(Head(machine));
            foreach (FirstCall call in FirstCalls.All)
            {
                if (filter is not null && !call.Name.Contains(filter, StringComparison.OrdinalIgnoreCase)) continue;
                List<double> before = [], after = [];
                for (int i = 0; i < Children; i++)
                {
                    before.Add(Child(plain, call.Name));
                    after.Add(Child(precompiled, call.Name));
                }
                double slow = Median(before), fast = Median(after);
                string ratio = slow > 0 ? (fast / slow).ToString("0.00", CultureInfo.InvariantCulture) : "";
                string row = string.Create(CultureInfo.InvariantCulture, $"| {call.Name} | {slow:0.00} | {fast:0.00} | {ratio} |");
                Console.WriteLine(row);
                page.AppendLine(row);
            }
            if (filter is not null) return 0;
            string to = Path.Combine(results.FullName, machine.Folder, "first-calls.md");
            Directory.CreateDirectory(Path.GetDirectoryName(to)!);
            File.WriteAllText(to, page.ToString());
            Console.WriteLine(to);
            return 0;
        }
        catch (InvalidDataException e)
        {
            Console.Error.WriteLine(e.Message);
            return 1;
        }
        finally
        {
            work.Delete(recursive: true);
        }
    }

    private static string Head(Machine machine) => $"""
        # First calls: {machine.Processor}

        Commit {machine.Commit}, {machine.Date}, one processor, {machine.Hardware}, {machine.System}.

        This page is made by `-- first-calls`; nothing in it is typed. Milliseconds of the first call of a process, by the plain assemblies
        of the packages and by the precompiled ones for linux-x64; each the median of {Children} processes. They contain the load of the
        assemblies and the compilation of a method of a few lines that makes the call. What the call needs is made before.

        | first call | plain | precompiled | of plain |
        | --- | ---: | ---: | ---: |

        """;

    // This program once more, with the assemblies of the packages in the place of its own.
    private static string Program(DirectoryInfo packages, DirectoryInfo work, string name, string entries)
    {
        string to = work.CreateSubdirectory(name).FullName;
        foreach (string file in Directory.GetFiles(AppContext.BaseDirectory))
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
        foreach (string package in s_packages)
        {
            string? path = packages.GetFiles($"{package}.*.nupkg")
                .FirstOrDefault(file => char.IsDigit(file.Name[package.Length + 1]))?.FullName;
            if (path is null)
                throw new InvalidDataException($"{packages} has no package {package}: make it by `dotnet pack -o`.");
            using ZipArchive archive = ZipFile.OpenRead(path);
            ZipArchiveEntry entry = archive.GetEntry($"{entries}{package}.dll") ?? throw new InvalidDataException(
                $"{path} has no {entries}{package}.dll: the compiler could not be restored when it was packed.");
            entry.ExtractToFile(Path.Combine(to, $"{package}.dll"), overwrite: true);
        }
        return Path.Combine(to, Path.GetFileName(typeof(FirstCallsCommand).Assembly.Location));
    }

    private static double Child(string program, string call)
    {
        ProcessStartInfo start = new("dotnet", [program, FirstCalls.ChildVerb, call]) { RedirectStandardOutput = true };
        using Process child = Process.Start(start)!;
        string output = child.StandardOutput.ReadToEnd();
        child.WaitForExit();
        if (child.ExitCode != 0) throw new InvalidOperationException($"The process of '{call}' ended with {child.ExitCode}.");
        return double.Parse(output, CultureInfo.InvariantCulture);
    }

    private static double Median(List<double> times) => times.Order().ElementAt(times.Count / 2);
}
