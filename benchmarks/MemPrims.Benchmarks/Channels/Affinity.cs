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

    /// <summary>Nanoseconds of processor time that a process has used, threads that ended left out.</summary>
    public static long ProcessorTime(int process)
    {
        long sum = 0;
        foreach (string task in Directory.GetDirectories($"/proc/{process}/task"))
        {
            try
            {
                string text = File.ReadAllText(task + "/schedstat");
                sum += long.Parse(text.AsSpan(0, text.IndexOf(' ')));
            }
            catch (IOException)
            {
                // A thread that ended meanwhile.
            }
        }
        return sum;
    }

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static partial int SetAffinity(int thread, nint length, ulong* mask);
}
