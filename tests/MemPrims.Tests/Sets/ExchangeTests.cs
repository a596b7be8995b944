using System.Diagnostics;
using System.Runtime.InteropServices;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Sets go to the Roaring libraries of other languages and back, by the programs of Exchange/. Where a library is not installed, its test
// is skipped and says how to get it; INTERCHANGE.md beside the sets tells what was read by whom.
public class ExchangeTests
{
    private const string GoLibrary = "/usr/share/gocode/src/github.com/RoaringBitmap/roaring";

    [ExchangeFact("java", "MEMPRIMS_ROARING_JAVA", "the jar of org.roaringbitmap:RoaringBitmap")]
    public void Java_and_Spark_read_and_write_the_same() =>
        Exchange(wide: true, "java", ["-cp", Variable("MEMPRIMS_ROARING_JAVA"), Program("Exchange.java")]);

    [ExchangeFact("go", null, GoLibrary, "apt-get install golang-go golang-github-roaringbitmap-roaring-dev")]
    public void Go_reads_and_writes_the_same() => Exchange(wide: false, "go", ["run", Program("exchange.go")]);

    [ExchangeFact("node", "MEMPRIMS_ROARING_NODE", "the folder of npm's roaring or roaring-wasm")]
    public void Node_reads_and_writes_the_same() => Exchange(wide: false, "node", [Program("exchange.js")]);

    [ExchangeFact("python3", "MEMPRIMS_ROARING_PYTHON", "1 when pyroaring is installed")]
    public void Python_reads_and_writes_the_same() => Exchange(wide: true, "python3", [Program("exchange.py")]);

    private static void Exchange(bool wide, string command, string[] arguments)
    {
        using TempFolder folder = new();
        Dictionary<string, uint[]> sets = [];
        Dictionary<string, ulong[]> wideSets = [];
        int number = 0;
        foreach ((_, int[] low) in SampleIds.Containers())
            foreach (int more in new[] { 0, 3 })
            {
                uint[] ids = [.. Enumerable.Range(0, more + 1).SelectMany(key => low.Select(id => (uint)(key * 2 << 16 | id)))];
                sets.Add($"{number}", ids);
                ulong[] wideIds = [.. Enumerable.Range(0, 3).SelectMany(key => ids.Select(id => (ulong)key << 33 | id))];
                if (wide) wideSets.Add($"{number}-64", wideIds);
                number++;
            }
        sets.Add("empty", []);
        foreach ((string name, uint[] ids) in sets) File.WriteAllBytes(folder.File(name + ".set"), IdSet.FromSorted(ids).ToByteArray());
        foreach ((string name, ulong[] ids) in wideSets)
            File.WriteAllBytes(folder.File(name + ".set64"), IdSet64.FromSorted(ids).ToByteArray());

        Run(command, [.. arguments, folder.Path]);

        foreach ((string name, uint[] ids) in sets)
        {
            Assert.True(ids.AsSpan().SequenceEqual(MemoryMarshal.Cast<byte, uint>(Read(name + ".ids"))), $"{name}: other ids");
            Assert.Equal(Read(name + ".set"), Read(name + ".back"));
            Assert.Equal(ids, IdSet.OpenFrozen(Read(name + ".made"), validate: true).ToArray());
            Assert.Equal(Read(name + ".set"), IdSet.Deserialize(Read(name + ".made")).ToByteArray());
        }
        foreach ((string name, ulong[] ids) in wideSets)
        {
            Assert.True(ids.AsSpan().SequenceEqual(MemoryMarshal.Cast<byte, ulong>(Read(name + ".ids"))), $"{name}: other ids");
            Assert.Equal(Read(name + ".set64"), Read(name + ".back"));
            Assert.Equal(ids, IdSet64.OpenFrozen(Read(name + ".made"), validate: true).ToArray());
        }

        byte[] Read(string name) => File.ReadAllBytes(folder.File(name));
    }

    private static void Run(string command, string[] arguments)
    {
        ProcessStartInfo start = new(command, arguments) { RedirectStandardError = true };
        (start.Environment["GO111MODULE"], start.Environment["GOPATH"]) = ("off", "/usr/share/gocode");
        using Process process = Process.Start(start)!;
        string errors = process.StandardError.ReadToEnd();
        process.WaitForExit();
        Assert.True(process.ExitCode == 0, errors);
    }

    private static string Program(string name) =>
        Path.Combine(Repository.Root, "tests", "MemPrims.Tests", "Sets", "Exchange", name);

    private static string Variable(string name) => Environment.GetEnvironmentVariable(name)!;

    // Skipped, and says so, where the command is not in the path, or the library is not where it is looked for.
    private sealed class ExchangeFactAttribute : FactAttribute
    {
        public ExchangeFactAttribute(string command, string? variable, string library, string? how = null)
        {
            string[] folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
            if (!folders.Any(folder => File.Exists(Path.Combine(folder, command)))) Skip = $"needs {command}";
            else if (variable is null && !Directory.Exists(library)) Skip = $"needs {library}: {how}";
            else if (variable is not null && Environment.GetEnvironmentVariable(variable) is null) Skip = $"needs {variable}: {library}";
        }
    }
}
