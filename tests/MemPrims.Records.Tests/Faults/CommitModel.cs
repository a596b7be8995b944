namespace MemPrims.Records.Tests.Faults;

// One record to a page, so that a file of few records has as many pages.
[MappedRecord(0xCE11)]
public readonly ref partial struct Cell
{
    [Field(0)] public partial long Value { get; set; }
    [Bytes(1, Max = 4000)] public partial ReadOnlySpan<byte> Rest { get; set; }
}

// The randomised models of the protocol, with two syncs and with one, run against the real code. A cell whose bytes change does not fit a
// meta slot and is synced twice: processes open the file, commit, and die at any operation, with or without the machine. What a later
// process sees must be the last acknowledged state, or one whose commit was under way; anything else is a violation.
internal sealed class CommitModel : IDisposable
{
    private const int Cells = 4, MostCells = 12, Processes = 7;

    private enum Kind
    {
        // Commits change much, and deaths are rare.
        Calm,

        // The same few commits are tried, and die, again and again.
        Stormy,

        // Small commits of one page each go on while the whole file is synced beside them. Power is lost soon after: what the sync has on
        // the disk by then, and what only metas carry, must be the whole state.
        Beside,
    }

    private const long Free = -1;
    private readonly CrashDisk _disk = new();

    // What went wrong in the history of this seed; null when nothing did.
    public string? Violation(int seed, Step without)
    {
        Random random = new(seed);
        _disk.Clear();
        _disk.MetaSector = 64 << random.Next(2);
        // Only where the same commits are tried again and again do two torn metas complete each other.
        Kind kind = without == Step.ZeroTornMeta ? Kind.Stormy : (Kind)random.Next(3);
        bool moves = kind != Kind.Beside && random.Next(3) == 0;
        List<long[]> allowed = [new long[Cells]];
        Create();
        for (int process = 0; process < Processes; process++)
        {
            StepFilter filter = new(without, _disk);
            CrashStorage storage = new(_disk, operation => filter.Drops(operation) ? Fate.Dropped
                : FateOf(filter.Recognise(operation), operation, kind, random))
            {
                SyncsParts = kind == Kind.Beside || random.Next(4) > 0, SyncTakes = () => random.Next(20),
                DropsSyncsBeside = without == Step.SyncBeside,
            };
            try
            {
                MappedFile<Cell> file = new(storage, Small.Slots);
                file.Verify();
                long[] state = Read(file);
                if (!allowed.Any(a =>
                    a.AsSpan().SequenceEqual(state))) return $"process {process} found [{string.Join(",", state)}], and only "
                        + $"{string.Join(" or ", allowed.Select(a => $"[{string.Join(",", a)}]"))} may be";
                for (int commit = random.Next(kind == Kind.Beside ? 16 : 4); commit >= 0; commit--)
                {
                    if (moves && random.Next(8) == 0) Drop(file, random);
                    using WriteTransaction<Cell> transaction = file.BeginWrite();
                    // From here what was seen is on the disk. Without the step that sees to it, nothing was promised either.
                    if (without is not (Step.RewriteWinningMeta or Step.SyncOnOpen)) allowed = [state];
                    state = Change(transaction, state, kind, random);
                    if (moves) state = Move(transaction, state, random);
                    allowed.Add(state);
                    transaction.Commit();
                    allowed = [state];
                }
                if (random.Next(3) == 0) file.Dispose();
            }
            catch (SimulatedCrash) { }
            catch (MappedFileException e)
            {
                return $"process {process}: {e.Message}";
            }
            if (kind == Kind.Beside || random.Next(10) < 6) _disk.LosePower(random);
        }
        return null;
    }

    public void Dispose() => _disk.Dispose();

    private void Create()
    {
        MappedFile<Cell> file = MappedFile<Cell>.Create(new CrashStorage(_disk), Small.Slots);
        using WriteTransaction<Cell> transaction = file.BeginWrite();
        for (int i = 0; i < Cells; i++) transaction.Append();
        transaction.Commit();
    }

    private static long[] Change(WriteTransaction<Cell> transaction, long[] state, Kind kind, Random random)
    {
        int only = kind == Kind.Calm ? -1 : random.Next(kind == Kind.Stormy ? 2 : Cells);
        bool large = random.Next(2) == 0;
        long[] changed = [.. state];
        for (int i = 0; i < Cells; i++)
        {
            if (changed[i] == Free || (only >= 0 ? i != only : random.Next(2) == 0 && i > 0)) continue;
            changed[i] = random.Next(1, 256);
            Cell cell = transaction[i];
            cell.Value = changed[i];
            if (!large) continue;
            // A few of the middle size are enough for a sync beside.
            byte[] rest = new byte[kind == Kind.Beside ? random.Next(900) : random.Next(2) == 0 ? 4000 : 300];
            random.NextBytes(rest);
            cell.Rest = rest;
        }
        return changed;
    }

    // Frees a cell, uses a free one again or appends, or loads some.
    private static long[] Move(WriteTransaction<Cell> transaction, long[] state, Random random)
    {
        List<long> moved = [.. state];
        int id = random.Next(2, moved.Count);
        switch (random.Next(4))
        {
            case 0 when moved[id] != Free:
                transaction.Free(id);
                moved[id] = Free;
                break;
            case 1 when moved.Count < MostCells:
                Append(random.Next(1, 256));
                break;
            case 2 when moved.Count + 4 <= MostCells:
                int first = random.Next(1, 200), many = random.Next(2, 5);
                for (int i = 0; i < many; i++) Append(first + i);
                break;
        }
        return [.. moved];

        void Append(long value)
        {
            Cell cell = transaction.Append(out int at);
            cell.Value = value;
            if (at == moved.Count) moved.Add(value);
            else moved[at] = value;
        }
    }

    // A load that is given up.
    private static void Drop(MappedFile<Cell> file, Random random)
    {
        using WriteTransaction<Cell> transaction = file.BeginWrite();
        if (transaction.Count + 4 > MostCells) return;
        for (int i = 0; i < 4; i++) transaction.Append().Value = random.Next(1, 200);
    }

    // Deaths are most frequent where a meta is on its way, and rare enough elsewhere that histories get long.
    private static Fate FateOf(Step step, Operation operation, Kind kind, Random random)
    {
        int one = kind == Kind.Beside ? 64
            : step is Step.SyncAfterMeta && operation.Kind == OperationKind.Sync ? (kind == Kind.Stormy ? 2 : 5) : 16;
        return random.Next(one) > 0 ? Fate.Done : (Fate)random.Next((int)Fate.CrashBefore, (int)Fate.CrashAfter + 1);
    }

    private static long[] Read(MappedFile<Cell> file)
    {
        long[] state = new long[file.Count];
        for (int i = 0; i < state.Length; i++) state[i] = file.IsFree(i) ? Free : file.Read(i, static cell => cell.Value);
        return state;
    }
}
