using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Channels;

/// <summary>What the benchmarks ask of the system: processors, clocks, sleep, and that no partner outlives them.</summary>
internal static unsafe partial class Affinity
{
    public const int AsPlaced = -1;

    /// <summary>Pins the calling thread to a processor, or lets it go where the scheduler likes.</summary>
    public static void Pin(int processor)
    {
        ulong mask = processor == AsPlaced ? (1ul << Environment.ProcessorCount) - 1 : 1ul << processor;
        if (SetAffinity(0, sizeof(ulong), &mask) != 0) throw new InvalidOperationException($"Processor {processor} cannot be pinned to.");
    }

    /// <summary>
    /// Nanoseconds of processor time that a process has used. From its own clock: what stands in /proc is some milliseconds late for a
    /// thread that runs.
    /// </summary>
    public static long ProcessorTime(int process)
    {
        const int scheduled = 2;
        long* time = stackalloc long[2];
        if (GetTime((~process << 3) | scheduled, time) != 0) throw new InvalidOperationException($"Process {process} has no clock.");
        return (time[0] * 1_000_000_000) + time[1];
    }

    /// <summary>Sleeps for nanoseconds: Thread.Sleep knows milliseconds only.</summary>
    public static void Sleep(int nanoseconds)
    {
        long* time = stackalloc long[] { 0, nanoseconds };
        _ = NanoSleep(time, null);
    }

    /// <summary>Kills this process when the thread that started it ends, however that happens.</summary>
    public static void DieWithParent()
    {
        const int setDeathSignal = 1, kill = 9;
        _ = ProcessControl(setDeathSignal, kill);
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int GetTime(int clock, long* time);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static partial int SetAffinity(int thread, nint length, ulong* mask);

    [LibraryImport("libc", EntryPoint = "nanosleep")]
    private static partial int NanoSleep(long* time, long* rest);

    [LibraryImport("libc", EntryPoint = "prctl")]
    private static partial int ProcessControl(int option, nint argument);
}
