using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace MemPrims.Benchmarks.Cold;

/// <summary>
/// `cold [filter] [--strict]`: ns a call in the first 150 ms of a process, ours beside the BCL's. Each figure is the median of five child
/// processes, each of which runs one routine and has one processor by affinity. The BCL is precompiled; a routine that waits for the
/// JIT's second compilation would stay slow for seconds there, since the thread that compiles has no processor of its own.
///
/// The same with the precompiled assemblies of the packages, beside the plain ones (Zen 4, 512 bits, 2026-11): Compare of 24, 300 and 2000
/// bytes 3.1, 6.6 and 28.5 ns beside 3.2, 6.6 and 28.7; Copy 1.9, 9.2 and 25.9 beside 2.4, 7.0 and 25.0. Copies of more than 256 bytes pay
/// for two calls there, until the JIT has compiled them again. An appender with 80 small fields takes 480 ns beside 760, two sets of 1,000
/// ids made and counted take 5.4 µs beside 13.2.
/// </summary>
internal static unsafe class ColdCommand
{
    private const int Milliseconds = 150, Children = 5, CallsPerBatch = 256;
    private static readonly int[] s_lengths = [0, 24, 100, 300, 2000];

    /// <summary>The child's first argument.</summary>
    public const string ChildVerb = "cold-child";

    public static int Run(string? filter, bool strict)
    {
        if (!OperatingSystem.IsLinux() && !OperatingSystem.IsWindows())
        {
            Console.Error.WriteLine("A process can be held to one processor on Linux and Windows only.");
            return 1;
        }
        ColdRoutine[] routines = [.. ColdRoutines.All.Where(routine =>
            filter is null || routine.Name.Contains(filter, StringComparison.OrdinalIgnoreCase))];
        if (routines.Length == 0)
        {
            Console.Error.WriteLine($"No routine has '{filter}' in its name. Without a filter all are run.");
            return 1;
        }
        HoldToOneProcessor();
        int losses = 0, rows = 0;
        Console.WriteLine($"ns a call in the first {Milliseconds} ms of a process with one processor; {Hardware.Describe()}");
        Console.WriteLine($"{"routine",-26}{"bytes",6}{"ours",10}{"BCL",10}{"BCL / ours",12}");
        foreach (ColdRoutine routine in routines)
        {
            foreach (int length in routine.Lengths ?? s_lengths)
            {
                double ours = Median(routine.Name, length, "ours"), theirs = Median(routine.Name, length, "bcl");
                Console.WriteLine(
                    $"{routine.Name,-26}{length,6}{ours,10:0.00}{theirs,10:0.00}{theirs / ours,12:0.00}"
                    + $"{(ours > 2 * theirs ? "  more than twice the BCL's" : "")}");
                rows++;
                if (ours > 2 * theirs) losses++;
            }
        }
        Console.WriteLine($"{losses} of {rows} take more than twice the BCL's time.");
        return strict && losses > 0 ? 1 : 0;
    }

    /// <summary>The child: calls one routine until the time is over, and prints the nanoseconds a call.</summary>
    public static int RunChild(string routine, int length, bool ours)
    {
        ColdRoutine row = ColdRoutines.All.Single(r => r.Name == routine);
        Func<BlockPairs, long> batch = ours ? row.Ours : row.Theirs;
        using BlockPairs pairs = BlockPairs.Equal(_ => length, length, CallsPerBatch);
        if (routine == "IsZero") NativeMemory.Clear(pairs.RightArena, (nuint)pairs.ArenaSize);
        row.Prepare();
        long calls = 0, sum = 0, start = Stopwatch.GetTimestamp();
        TimeSpan spent;
        do
        {
            sum += batch(pairs);
            calls += pairs.Count;
            spent = Stopwatch.GetElapsedTime(start);
        }
        while (spent.TotalMilliseconds < Milliseconds);
        Console.WriteLine((spent.TotalNanoseconds / calls).ToString(CultureInfo.InvariantCulture));
        return sum == long.MinValue ? 1 : 0;
    }

    private static double Median(string routine, int length, string side)
    {
        double[] times = [.. Enumerable.Range(0, Children).Select(_ => Child(routine, length, side)).Order()];
        return times[Children / 2];
    }

    private static double Child(string routine, int length, string side)
    {
        ProcessStartInfo start = new(Environment.ProcessPath!) { RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet") start.ArgumentList.Add(typeof(ColdCommand)
            .Assembly.Location);
        foreach (string argument in (string[])[ChildVerb, routine, length.ToString(CultureInfo.InvariantCulture),
            side]) start.ArgumentList.Add(argument);
        using Process child = Process.Start(start)!;
        string output = child.StandardOutput.ReadToEnd();
        child.WaitForExit();
        if (child.ExitCode != 0) throw new InvalidOperationException(
            $"The child process for {routine} of {length} bytes ended with {child.ExitCode}.");
        return double.Parse(output, CultureInfo.InvariantCulture);
    }

    // A child inherits the processors of the thread that starts it.
    [SupportedOSPlatform("linux"), SupportedOSPlatform("windows")]
    internal static void HoldToOneProcessor()
    {
        using Process self = Process.GetCurrentProcess();
        self.ProcessorAffinity = (nint)((long)self.ProcessorAffinity & -(long)self.ProcessorAffinity);
    }
}
