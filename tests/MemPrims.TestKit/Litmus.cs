namespace MemPrims.TestKit;

/// <summary>What a step of a thread waits for, besides the earlier ones on its own word.</summary>
public enum MemoryOrder
{
    /// <summary>Nothing.</summary>
    Plain,

    /// <summary>A load that all later steps wait for: Volatile.Read.</summary>
    Acquire,

    /// <summary>A store that waits for all earlier steps: Volatile.Write. A later load of another word need not wait for it.</summary>
    Release,

    /// <summary>It waits for all earlier steps, and all later ones for it: Interlocked.Exchange.</summary>
    Full,

    /// <summary>No access: later steps wait for the loads before it: Volatile.ReadBarrier.</summary>
    Loads,

    /// <summary>No access: later stores wait for all before it: Volatile.WriteBarrier.</summary>
    Stores,
}

/// <summary>A step of a thread: a load, a store, both in one, or a barrier.</summary>
/// <param name="Word">A word of memory; all begin as 0.</param>
/// <param name="Stored">What is stored.</param>
/// <param name="Sees">What a load has to see for the outcome that is asked about.</param>
/// <param name="Order">What waits for what.</param>
public sealed record MemoryStep(int Word, int? Stored, Func<int, bool>? Sees, MemoryOrder Order)
{
    public static MemoryStep Load(int word, Func<int, bool> sees, MemoryOrder order = MemoryOrder.Plain) => new(word, null, sees, order);

    public static MemoryStep Store(int word, int value, MemoryOrder order = MemoryOrder.Plain) => new(word, value, null, order);

    /// <summary>A load and a store that nothing comes between: an exchange, or a lock of the kernel.</summary>
    public static MemoryStep Exchange(int word, int expected, int value) => new(word, value, there => there == expected, MemoryOrder.Full);

    public static MemoryStep Barrier(MemoryOrder order) => new(-1, null, null, order);
}

/// <summary>
/// Asks whether an outcome can be: by all interleavings of threads whose steps run in any order that their marks allow, on one memory, as
/// on arm64. More than there, no step waits for another one because its address, its value or its turn depends on it: a compiler may undo
/// that. A thread is one way through its code; the outcome is that each load sees what it has to.
/// </summary>
public static class Litmus
{
    public static bool Happens(params MemoryStep[][] threads)
    {
        int words = 1 + threads.SelectMany(thread => thread).Max(step => step.Word);
        HashSet<string> seen = [];
        return From(new int[threads.Length], new int[words]);

        // From a state: which steps each thread has done, as bits, and what the memory has.
        bool From(int[] done, int[] memory)
        {
            if (!seen.Add($"{string.Join(',', done)}:{string.Join(',', memory)}")) return false;
            if (threads.Index().All(thread => done[thread.Index] == (1 << thread.Item.Length) - 1)) return true;
            foreach ((int index, MemoryStep[] thread) in threads.Index())
                for (int at = 0; at < thread.Length; at++)
                {
                    if ((done[index] >> at & 1) != 0 || !MayRun(thread, done[index], at)) continue;
                    MemoryStep step = thread[at];
                    if (step.Sees is { } sees && !sees(memory[step.Word])) continue;
                    int[] after = [.. memory], doneAfter = [.. done];
                    doneAfter[index] |= 1 << at;
                    if (step.Stored is { } value) after[step.Word] = value;
                    if (From(doneAfter, after)) return true;
                }
            return false;
        }
    }

    /// <summary>The orders without which none of the outcomes happens all the same: what each of them is there for is not seen.</summary>
    /// <param name="outcomes">The same threads, with other things for their loads to see.</param>
    public static IEnumerable<string> Unneeded(params MemoryStep[][][] outcomes) =>
        from thread in outcomes[0].Index()
        from step in thread.Item.Index()
        where step.Item.Order != MemoryOrder.Plain
            && !outcomes.Any(threads => Happens(
                [.. threads.Select((steps, index) => index == thread.Index ? Without(steps, step.Index) : steps)]))
        select $"thread {thread.Index}, step {step.Index}: {step.Item.Order}";

    private static MemoryStep[] Without(MemoryStep[] steps, int at) => steps[at].Word < 0 ? [.. steps[..at], .. steps[(at + 1)..]]
        : [.. steps[..at], steps[at] with { Order = MemoryOrder.Plain }, .. steps[(at + 1)..]];

    private static bool MayRun(MemoryStep[] thread, int done, int at)
    {
        for (int before = 0; before < at; before++)
            if ((done >> before & 1) == 0 && Waits(thread[at], thread[before])) return false;
        return true;
    }

    private static bool Waits(MemoryStep later, MemoryStep earlier)
    {
        if (later.Word == earlier.Word && later.Word >= 0) return true;
        if (later.Order is MemoryOrder.Release or MemoryOrder.Full or MemoryOrder.Stores) return true;
        if (later.Order == MemoryOrder.Loads) return earlier.Stored is null;
        return earlier.Order is MemoryOrder.Acquire or MemoryOrder.Full or MemoryOrder.Loads
            || (earlier.Order == MemoryOrder.Stores && later.Stored is not null);
    }
}
