using System.Buffers;
using System.Diagnostics;
using System.Text.Json;
using Docstore;
using DocumentStore.Index;

namespace DocumentStore.Twins;

/// <summary>Loads one of the twins with orders, asks it, opens it again, and prints its figures as a line of JSON. `table` makes a page
/// of such lines, document-store.md of a processor's results.</summary>
internal static class Program
{
    private const int BatchSize = 500;

    private static int Main(string[] args)
    {
        if (IndexWorker.TryRun(args, out int code)) return code;
        switch (args)
        {
            case ["run", string kind, string count, string folder]:
                Console.WriteLine(JsonSerializer.Serialize(Measure(kind, int.Parse(count), folder)));
                return 0;
            case ["go-on", string kind, string from, string folder]:
                GoOn(kind, int.Parse(from), folder);
                return 0;
            case ["table", string file]:
                Table.Write(Rows(file));
                return 0;
            case ["cluster", string nodes, string count, string folder]:
                Console.WriteLine(JsonSerializer.Serialize(ClusterFigures.Measure(int.Parse(nodes), int.Parse(count), folder)));
                return 0;
            case ["catch-up", string count, string folder]:
                Console.WriteLine(JsonSerializer.Serialize(ClusterFigures.MeasureCatchUp(int.Parse(count), folder)));
                return 0;
            case ["cluster-peer", string seconds, string folder]:
                PeerFigures.CompareAsync(double.Parse(seconds), folder).Wait();
                return 0;
            case ["cluster-page", string file, string folder]:
                ClusterPage.Write(Rows(file), folder);
                return 0;
            default:
                Console.Error.WriteLine("""
                    run store|bcl|sqlite-full|sqlite-normal COUNT FOLDER: a line of figures, and table FILE: a page of such lines
                    cluster NODES COUNT FOLDER, catch-up COUNT FOLDER: a line of figures
                    cluster-peer SECONDS FOLDER: three nodes beside etcd's, each figure for so long
                    cluster-page FILE FOLDER: a page of such lines, and a picture
                    """);
                return 2;
        }
    }

    private static IEnumerable<Dictionary<string, JsonElement>> Rows(string file) =>
        File.ReadLines(file).Select(static line => JsonSerializer.Deserialize<Dictionary<string, JsonElement>>(line)!);

    private static ITwin Open(string kind, string folder) => kind switch
    {
        "store" => new StoreTwin(folder),
        "bcl" => new BclTwin(folder),
        "sqlite-full" => new SqliteTwin(folder, "FULL"),
        "sqlite-normal" => new SqliteTwin(folder, "NORMAL"),
        _ => throw new ArgumentException($"There is no twin {kind}."),
    };

    private static Dictionary<string, object> Measure(string kind, int count, string folder)
    {
        Directory.CreateDirectory(folder);
        Dictionary<string, object> row = new() { ["twin"] = kind, ["documents"] = count, ["sqlite"] = SqliteTwin.Version,
            ["machine"] = $"{MemPrims.Benchmarks.Publish.Machine.Here()}" };
        List<ReadOnlyMemory<byte>> orders = [];
        ArrayBufferWriter<byte> bytes = new(count * 260);
        for (int i = 0; i < count; i++) orders.Add(Sample.Order(bytes, i));
        List<(string, ReadOnlyMemory<byte>)> batch = [];

        ITwin twin = Open(kind, folder);
        long allocated = GC.GetTotalAllocatedBytes(), start = Stopwatch.GetTimestamp();
        TimeSpan processor = Processor(twin);
        for (int i = 0; i < count; i += batch.Count)
        {
            batch.Clear();
            for (int j = i; j < Math.Min(i + BatchSize, count); j++) batch.Add((Sample.Key(j), orders[j]));
            twin.Commit(batch);
        }
        row["acknowledged s"] = Seconds(start);
        twin.WaitForIndex();
        row["load s"] = Seconds(start);
        row["processor s"] = (Processor(twin) - processor).TotalSeconds;
        row["allocated MB"] = (GC.GetTotalAllocatedBytes() - allocated) / 1e6;
        orders = [];
        bytes = new(1);
        Thread.Sleep(1000);
        GC.Collect();
        row["memory MB"] = (Private(Environment.ProcessId) + (twin.Helper is { } helper ? Private(helper) : 0)) / 1e3;
        row["files MB"] = Directory.GetFiles(folder).Sum(static file => new FileInfo(file).Length) / 1e6;

        Random random = new(5);
        Time(row, "get", 100_000, () => twin.Get(Sample.Key(random.Next(count))));
        Time(row, "range", 2_000, () => twin.Range(random.Next(90_000)));
        string[] cities = ["Paris", "Rome", "Berlin", "Madrid", "Vienna"];
        row["facet sum"] = twin.Facets("Rome");
        Time(row, "facets", kind == "store" ? 1_000 : 20, () => twin.Facets(cities[random.Next(cities.Length)]));

        twin.Dispose();
        row["open s"] = Reopen();
        using (Process other = Process.Start(new ProcessStartInfo(Environment.ProcessPath!,
            [.. Assembly, "go-on", kind, $"{count}", folder]) { RedirectStandardOutput = true })!)
        {
            for (int i = 0; i < 100; i++) other.StandardOutput.ReadLine();
            other.Kill();
            other.WaitForExit();
        }
        row["open after kill s"] = Reopen();
        return row;

        double Reopen()
        {
            long start = Stopwatch.GetTimestamp();
            using ITwin again = Open(kind, folder);
            if (again.Get(Sample.Key(count / 2)) == 0) throw new InvalidDataException("A document is lost.");
            double opened = Seconds(start);
            again.WaitForIndex();
            again.Range(500);
            row[row.ContainsKey("open and range s") ? "open after kill and range s" : "open and range s"] = Seconds(start);
            return opened;
        }
    }

    private static string[] Assembly => Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet"
        ? [typeof(Program).Assembly.Location] : [];

    /// <summary>Commits until it is killed.</summary>
    private static void GoOn(string kind, int from, string folder)
    {
        using ITwin twin = Open(kind, folder);
        for (int i = from; ; i += BatchSize)
        {
            twin.Commit([.. Enumerable.Range(i, BatchSize).Select(static j => (Sample.Key(j), Sample.Order(new(512), j)))]);
            Console.WriteLine(i);
        }
    }

    private static void Time(Dictionary<string, object> row, string what, int times, Func<long> act)
    {
        for (int i = 0; i < times / 10; i++) act();
        double[] all = new double[times];
        for (int i = 0; i < times; i++)
        {
            long start = Stopwatch.GetTimestamp();
            if (act() == 0) throw new InvalidDataException($"{what} has found nothing.");
            all[i] = Stopwatch.GetElapsedTime(start).TotalMicroseconds;
        }
        Array.Sort(all);
        (row[$"{what} p50 us"], row[$"{what} p99 us"]) = (all[times / 2], all[times * 99 / 100]);
    }

    private static double Seconds(long start) => Stopwatch.GetElapsedTime(start).TotalSeconds;

    private static TimeSpan Processor(ITwin twin)
    {
        TimeSpan own = Process.GetCurrentProcess().TotalProcessorTime;
        return twin.Helper is { } helper ? own + Process.GetProcessById(helper).TotalProcessorTime : own;
    }

    /// <summary>Memory of its own in kB: pages of files are the system's.</summary>
    private static long Private(int process) => File.ReadLines($"/proc/{process}/status").First(static line => line.StartsWith("RssAnon"))
        .Split(' ', StringSplitOptions.RemoveEmptyEntries) is [_, string kilobytes, ..] ? long.Parse(kilobytes.Trim()) : 0;
}
