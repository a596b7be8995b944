using System.Diagnostics;

namespace DocumentStore.Tests;

/// <summary>A process that commits one batch of the model after the other, tells of each before and after, and is killed. It may compact
/// all the time beside that.</summary>
internal sealed class Engine : IDisposable
{
    private readonly Process _process;
    private readonly Task _reading;
    private readonly bool _isChild;

    /// <summary>Starts one, under a limit of the bytes of a file where there is one, and by another program where one is given.</summary>
    public Engine(string folder, int seed, int from, long mostFileBytes = 0, bool compacts = false, params string[] by)
    {
        string[] engine = [.. by, .. Command, compacts ? "compacting" : "engine", folder, $"{seed}", $"{from}"];
        ProcessStartInfo start = mostFileBytes == 0 ? new(engine[0], engine[1..])
            : new("bash", ["-c", $"trap '' XFSZ; ulimit -f {mostFileBytes / 1024}; exec \"$@\"", "bash", .. engine]);
        start.RedirectStandardOutput = true;
        // The limit would hold for the files in memory, too, through which the runtime writes its code.
        start.Environment["DOTNET_EnableWriteXorExecute"] = "0";
        (Tried, Acknowledged, _isChild) = (from, from, by.Length > 0);
        _process = Process.Start(start)!;
        _reading = Task.Run(() =>
        {
            while (_process.StandardOutput.ReadLine() is { } line)
            {
                if (line.Split(' ') is not [string what, string number]) continue;
                if (what == "try") Tried = int.Parse(number) + 1;
                if (what == "done") Acknowledged = int.Parse(number) + 1;
                if (what == "worker") WorkerId = int.Parse(number);
                if (what == "compacted") Compactions = int.Parse(number);
                if (what == "error") Error = number;
            }
        });
    }

    /// <summary>Batches below it were begun, and batches below the other were acknowledged.</summary>
    public volatile int Tried, Acknowledged, WorkerId, Compactions;

    public string? Error { get; private set; }

    public bool HasExited => _process.HasExited;

    public static string[] Command { get; } = ["dotnet", typeof(Engine).Assembly.Location];

    /// <summary>With files of the log that grow far beyond the limit of a test, in steps.</summary>
    public static CollectionOptions Options { get; } =
        new() { Worker = Command, WaitForOther = TimeSpan.FromSeconds(10), LogFileBytes = 256 << 20 };

    /// <summary>With the smallest files that a log may have, compactions drop many of them.</summary>
    public static CollectionOptions SmallFiles { get; } = Options with { LogFileBytes = 4096 };

    public static int Run(string[] args)
    {
        if (args is not ["engine" or "compacting", string folder, string seed, string from]) return 2;
        try
        {
            using Collection collection = Collection.Open(folder, Model.Definition, args[0] == "engine" ? Options : SmallFiles);
            if (args[0] == "compacting") Task.Factory.StartNew(() =>
            {
                for (int done = 1; ; done++)
                {
                    collection.Compact();
                    Say("compacted", done);
                }
            }, TaskCreationOptions.LongRunning);
            for (int number = int.Parse(from); ; number++)
            {
                if (collection.WorkerProcessId is { } worker) Say("worker", worker);
                Say("try", number);
                collection.Commit(Model.BatchOf(int.Parse(seed), number));
                Say("done", number);
            }
        }
        catch (IOException e)
        {
            Console.WriteLine($"error {e.GetType().Name}");
            Console.Error.WriteLine(e);
            return 3;
        }

        static void Say(string what, int number) => Console.WriteLine($"{what} {number}");
    }

    /// <summary>Holds a process up with STOP, and lets it go on with CONT.</summary>
    public static void Signal(int process, string signal)
    {
        using Process kill = Process.Start("kill", [$"-{signal}", $"{process}"]);
        kill.WaitForExit();
    }

    /// <param name="id">0 where there is none.</param>
    public static void KillWorker(int id)
    {
        if (id == 0) return;
        try
        {
            using Process worker = Process.GetProcessById(id);
            worker.Kill();
        }
        catch (ArgumentException)
        {
            // It has just ended.
        }
    }

    public void Kill()
    {
        // What starts an engine does not take it along; an engine's worker is left alone.
        _process.Kill(entireProcessTree: _isChild);
        Wait();
    }

    public int Wait()
    {
        _process.WaitForExit();
        _reading.Wait();
        return _process.ExitCode;
    }

    public void Dispose()
    {
        if (!_process.HasExited) Kill();
        _process.Dispose();
    }
}

internal sealed class TempFolder(string? under = null) : IDisposable
{
    public string Path { get; } = Directory.CreateDirectory(
        System.IO.Path.Combine(under ?? System.IO.Path.GetTempPath(), $"docstore-{Guid.NewGuid():N}")).FullName;

    public void Dispose()
    {
        // A worker whose engine was killed may still be saving.
        for (int left = 50; ; left--)
        {
            try
            {
                Directory.Delete(Path, recursive: true);
                return;
            }
            catch (IOException) when (left > 0)
            {
                Thread.Sleep(20);
            }
        }
    }
}
