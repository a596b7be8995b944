namespace MemPrims.Records.Tests.Faults;

// A short life of a file, appends past the mapped end and a clean close included, is ended at each of its operations, before, midway and
// after; then the process alone is gone, or power too, at once or after the next process has opened the file on the page cache. Of what
// power loss leaves all subsets are tried where they are few, and seeded ones beyond. What comes back must be a state from before or after
// the commit under way, whole, and must bear a further commit and a further crash.
public class CrashAtEveryOperationTests
{
    private const int AllSubsetsUpTo = 8, SampledSubsets = 40;

    [Fact]
    public void Every_crash_leaves_the_state_before_or_after()
    {
        using CrashDisk start = new(), died = new(), power = new();
        Begin(start);
        int operations = Live(start, died, null, out _);
        Random random = Seeds.Random();
        int images = 0;
        for (int at = 0; at < operations; at++)
        {
            foreach (Fate fate in (ReadOnlySpan<Fate>)[Fate.CrashBefore, Fate.CrashMidway, Fate.CrashAfter])
            {
                int now = at;
                CaseNote.Set("crash", at, (int)fate);
                Live(start, died, operation => operation.Number == now ? fate : Fate.Done, out long[][] allowed);
                power.CopyFrom(died);
                Check(power, allowed, "kill");
                CommitAndCheck(power, "commit after kill");

                // The next process sees the page cache, makes itself the writer, and then power is lost.
                power.CopyFrom(died);
                long[] seen = Read(power);
                BeginOnly(power);
                power.LosePower(0UL);
                Check(power, [seen], "kill, open, power loss");

                bool all = died.Pending <= AllSubsetsUpTo;
                int subsets = all ? 1 << died.Pending : SampledSubsets;
                for (int subset = 0; subset < subsets; subset++, images++)
                {
                    power.CopyFrom(died);
                    if (all) power.LosePower((ulong)subset);
                    else power.LosePower(random);
                    Check(power, allowed, "power loss");
                    CommitAndCheck(power, "commit after power loss");
                    CrashAgain(power, random);
                }
            }
        }
        Assert.True(images > 500, $"only {images} images");
    }

    private static void Begin(CrashDisk disk)
    {
        disk.Clear();
        MappedFile<Cell> file = MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots);
        using WriteTransaction<Cell> tx = file.BeginWrite();
        for (int i = 1; i <= 3; i++) Set(tx.Append(), i);
        tx.Commit();
    }

    // Ends at a crash, or cleanly. Returns how many operations there were, and the states that may come back.
    private static int Live(CrashDisk from, CrashDisk disk, Func<Operation, Fate>? fate, out long[][] allowed)
    {
        disk.CopyFrom(from);
        CrashStorage storage = new(disk, fate);
        long[] state = [1, 2, 3];
        allowed = [state];
        try
        {
            using MappedFile<Cell> file = new(storage);
            foreach (long[] next in (long[][])[[10, 2, 3], [10, 20, 3, 4], [11, 20, 3, 4], [11, 20, 30, 4, 5, 6, 7, 8, 9, 10]])
            {
                using WriteTransaction<Cell> tx = file.BeginWrite();
                for (int i = 0; i < next.Length; i++)
                    if (i >= state.Length) Set(tx.Append(), next[i]);
                    else if (state[i] != next[i]) Set(tx[i], next[i]);
                allowed = [state, next];
                tx.Commit();
                allowed = [state = next];
            }
        }
        catch (SimulatedCrash) { }
        return storage.Operations;
    }

    private static void Check(CrashDisk disk, long[][] allowed, string when)
    {
        long[] found = Read(disk);
        Assert.True(allowed.Any(a => a.AsSpan().SequenceEqual(found)), $"{when}: found [{string.Join(",", found)}]");
    }

    private static void CommitAndCheck(CrashDisk disk, string when)
    {
        long[] before = Read(disk);
        MappedFile<Cell> file = new(new CrashStorage(disk));
        using (WriteTransaction<Cell> tx = file.BeginWrite())
        {
            for (int i = 0; i < before.Length; i += 2) Set(tx[i], before[i] += 100);
            tx.Commit();
        }
        disk.LosePower(0UL);
        Check(disk, [before], when);
    }

    private static void CrashAgain(CrashDisk disk, Random random)
    {
        long[] before = Read(disk), after = [.. before];
        int at = random.Next(8);
        try
        {
            MappedFile<Cell> file = new(new CrashStorage(disk, operation => operation.Number == at ? Fate.CrashMidway : Fate.Done));
            using WriteTransaction<Cell> tx = file.BeginWrite();
            Set(tx[1], after[1] = 999);
            tx.Commit();
            before = after;
        }
        catch (SimulatedCrash) { }
        disk.LosePower(random);
        Check(disk, [before, after], "second crash");
    }

    private static void BeginOnly(CrashDisk disk)
    {
        MappedFile<Cell> file = new(new CrashStorage(disk));
        file.BeginWrite().Dispose();
    }

    private static void Set(Cell cell, long value)
    {
        cell.Value = value;
        cell.Rest = BitConverter.GetBytes(value * 31);
    }

    private static long[] Read(CrashDisk disk)
    {
        MappedFile<Cell> file = new(new CrashStorage(disk));
        file.Verify();
        long[] state = new long[file.Count];
        for (int i = 0; i < state.Length; i++)
        {
            state[i] = file.Read(i, static cell => cell.Value);
            Assert.Equal(state[i] * 31, file.Read(i, static cell => BitConverter.ToInt64(cell.Rest)));
        }
        return state;
    }
}
