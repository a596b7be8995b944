using System.Collections.Concurrent;
using System.Diagnostics;

namespace DocumentStore.Tests;

/// <summary>A node of a cluster as a process of this machine, which starts it again when it asks for that. Threads: one.</summary>
/// <param name="name">For what goes wrong.</param>
/// <param name="arguments">Those of the command.</param>
internal sealed class TestNode(string name, params string[] arguments)
{
    // EX_TEMPFAIL of sysexits.h.
    private const int TempFail = 75;

    private readonly ConcurrentQueue<string> _errors = [];
    private Process? _process;

    /// <summary>As long as a busy machine may take.</summary>
    public static TimeSpan Patience { get; } = TimeSpan.FromMinutes(5);

    /// <summary>The number of its process; null while it is away.</summary>
    public int? ProcessId => _process?.Id;

    /// <summary>How often it asked to be started again.</summary>
    public int Restarts { get; private set; }

    /// <summary>What it has written to its error output.</summary>
    public string Errors => string.Join('\n', _errors);

    public void Start()
    {
        for (long start = Stopwatch.GetTimestamp(); !TryStart(); Thread.Sleep(100))
            Assert.True(Stopwatch.GetElapsedTime(start) < TimeSpan.FromMinutes(1), $"The port of {name} stays taken.");
    }

    /// <returns>False where its port is taken.</returns>
    public bool TryStart()
    {
        Process process = Process.Start(new ProcessStartInfo("dotnet",
            [Path.Combine(AppContext.BaseDirectory, "docstore.dll"), "cluster", "node", .. arguments])
        { RedirectStandardOutput = true, RedirectStandardError = true })!;
        _process = process;
        process.ErrorDataReceived += (_, line) =>
        {
            if (line.Data is not null) _errors.Enqueue(line.Data);
        };
        process.BeginErrorReadLine();
        Task<string?> first = process.StandardOutput.ReadLineAsync();
        Assert.True(first.Wait(Patience), $"{name} does not start: {Errors}");
        if (first.Result == "ready")
        {
            process.Exited += (_, _) => Restart(process);
            process.EnableRaisingEvents = true;
            return true;
        }
        // Killed while it was started again: it is to be away.
        if (!ReferenceEquals(_process, process)) return true;
        process.WaitForExit();
        Assert.Contains("already in use", Errors);
        _errors.Clear();
        return false;
    }

    public void Kill()
    {
        if (Interlocked.Exchange(ref _process, null) is not { } process) return;
        using (process)
        {
            process.Kill();
            process.WaitForExit();
        }
    }

    /// <summary>Waits until it ends by itself.</summary>
    /// <returns>Its exit code.</returns>
    public int Wait()
    {
        using Process process = Interlocked.Exchange(ref _process, null)!;
        Assert.True(process.WaitForExit(Patience), $"{name} does not end: {Errors}");
        return process.ExitCode;
    }

    /// <summary>Fails where it has ended unasked, and does not ask to be started again: it would be waited for.</summary>
    public void CheckThatItRuns()
    {
        if (_process is { HasExited: true, ExitCode: not TempFail and int code }) Assert.Fail($"{name} has ended with {code}: {Errors}");
    }

    // As a service manager does with a node that asks for it by its exit code. Such restarts are told where the test ends.
    private void Restart(Process process)
    {
        if (!ReferenceEquals(_process, process) || process.ExitCode != TempFail) return;
        if (Interlocked.CompareExchange(ref _process, null, process) != process) return;
        Restarts++;
        Start();
    }
}
