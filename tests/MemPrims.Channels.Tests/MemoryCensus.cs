using System.Runtime.InteropServices;
using System.Globalization;

namespace MemPrims.Channels.Tests;

// Memory that a process has taken and not given back, each kind counted where it is exact: live objects after a collection, bytes in use
// by malloc, and addresses mapped. Resident memory is none of these: the runtime keeps pages of a heap that has become empty, and was seen
// to move by 25 MiB.
internal readonly partial record struct MemoryCensus(long Managed, long Native, long Mapped)
{
    // For a child process that is counted: one heap of malloc's. A new heap for a new thread would map 64 MiB.
    public static readonly (string Name, string? Value) OneHeap = ("MALLOC_ARENA_MAX", "1");

    private const int Page = 4096;

    public static MemoryCensus Now
    {
        get
        {
            // Twice: what a finalizer let go is gone after the second one.
            for (int i = 0; i < 2; i++)
            {
                GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true, compacting: true);
                GC.WaitForPendingFinalizers();
            }
            AllocatedBytes native = Allocated();
            return new(GC.GetTotalMemory(forceFullCollection: true), (long)(native.InUse + native.Mapped),
                long.Parse(File.ReadAllText("/proc/self/statm").Split(' ')[0], CultureInfo.InvariantCulture) * Page);
        }
    }

    // What grew when each call leaks 128 bytes, or half a page of a mapping; null when nothing did. A leak is in every round. What the
    // runtime takes once (compiled code, a table that doubles) was seen in the first round only; the next ones moved by 8 KiB.
    public static string? Leak(int calls, Action<int> call, int rounds = 3)
    {
        string? found = null;
        for (int round = 0; round < rounds; round++)
        {
            MemoryCensus before = Now;
            for (int i = 0; i < calls; i++) call(i);
            MemoryCensus after = Now;
            found = after.LeakSince(before, calls);
            if (found is null) return null;
        }
        return found;
    }

    private string? LeakSince(MemoryCensus before, int calls)
    {
        (long managed, long native, long mapped) = (Managed - before.Managed, Native - before.Native, Mapped - before.Mapped);
        bool leaks = managed > calls * 128L || native > calls * 128L || mapped > calls * (Page / 2L);
        return leaks ? $"{calls} calls took {managed} bytes of objects, {native} of malloc's, {mapped} of mappings" : null;
    }

    // struct mallinfo2.
    private readonly record struct AllocatedBytes(nuint Arena, nuint FreeChunks, nuint FastChunks, nuint MappedChunks, nuint Mapped,
        nuint Unused, nuint FastFree, nuint InUse, nuint Free, nuint Top);

    [LibraryImport("libc", EntryPoint = "mallinfo2")]
    private static partial AllocatedBytes Allocated();
}
