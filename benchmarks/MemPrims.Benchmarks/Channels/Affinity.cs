using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Channels;

/// <summary>Pins the calling thread to a processor, and undoes it.</summary>
internal static unsafe partial class Affinity
{
    public const int AsPlaced = -1;

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

    [LibraryImport("libc", EntryPoint = "clock_gettime", SetLastError = true)]
    private static partial int GetTime(int clock, long* time);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static partial int SetAffinity(int thread, nint length, ulong* mask);
}
