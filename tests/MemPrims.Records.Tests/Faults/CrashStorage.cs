namespace MemPrims.Records.Tests.Faults;

// The process dies here.
internal sealed class SimulatedCrash : Exception;

internal enum OperationKind
{
    Write,
    Extend,
    Sync,
}

// What a process asks of its file. `Number` counts from 0 in each process.
internal readonly record struct Operation(OperationKind Kind, long Offset, byte[] Bytes, int Number);

// What becomes of it.
internal enum Fate
{
    Done,
    Dropped,
    CrashBefore,
    CrashMidway,
    CrashAfter,
    Fail,
    FailFull,
}

// A process's hold on a CrashDisk: every operation is shown to `fate`, which says what becomes of it. Locks are always free, and told to
// `locks`.
internal sealed unsafe class CrashStorage(CrashDisk disk, Func<Operation, Fate>? fate = null, Action<string>? locks = null) : IStorage
{
    private const int NoSpace = 28, IoError = 5;
    private int _operationsLeft;
    private Action? _besideEnds;
    private bool _dead;

    public int Operations { get; private set; }

    public string Path => "(crash disk)";

    public bool CanWrite => true;

    public long Length => disk.Length;

    public int Read(long offset, Span<byte> bytes)
    {
        int read = (int)Math.Clamp(disk.Length - offset, 0, bytes.Length);
        new ReadOnlySpan<byte>(disk.Cache + offset, read).CopyTo(bytes);
        return read;
    }

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        byte[] kept = bytes.ToArray();
        Perform(new(OperationKind.Write, offset, kept, Operations), part =>
            disk.Write(offset, part ? kept.AsSpan(0, kept.Length / 4) : kept));
    }

    public void Extend(long length)
    {
        long from = disk.Length;
        if (length <= from) return;
        byte[] zeros = new byte[length - from];
        Perform(new(OperationKind.Extend, from, zeros, Operations), part =>
            disk.Write(from, part ? zeros.AsSpan(0, zeros.Length / 3) : zeros));
    }

    public void Sync() => Perform(new(OperationKind.Sync, 0, [], Operations), part =>
    {
        if (!part) disk.Sync();
    });

    // Whether a meta is synced alone. If not, a commit that carries syncs the whole file, as a large one does.
    public bool SyncsParts { get; init; } = true;

    // Two operations: a crash may come between what was written and its sync.
    public void WriteSynced(long offset, ReadOnlySpan<byte> bytes)
    {
        int length = bytes.Length;
        Write(offset, bytes);
        Perform(new(OperationKind.Sync, offset, [], Operations), part =>
        {
            if (!part) disk.Sync(offset, length);
        });
    }

    public void BeginSync() { }

    // How many operations a sync takes that runs beside them; or that it does nothing and says that it has ended.
    public Func<int>? SyncTakes { get; init; }

    public bool DropsSyncsBeside { get; init; }

    public RunningSync BeginSyncBeside()
    {
        int writes = disk.Writes;
        _operationsLeft = SyncTakes?.Invoke() ?? 0;
        _besideEnds = () =>
        {
            _besideEnds = null;
            if (!DropsSyncsBeside) disk.Sync(writes);
        };
        return new(() =>
        {
            if (_operationsLeft <= 0) _besideEnds?.Invoke();
            return _besideEnds is null;
        }, () => Perform(new(OperationKind.Sync, 0, [], Operations), _ => _besideEnds?.Invoke()));
    }

    public MappedRegion Map(long offset, long length) => new(disk.Cache + offset, length, disk);

    public bool TryLock(LockByte which, bool exclusive)
    {
        locks?.Invoke($"lock {which}{(exclusive ? "" : ", shared")}");
        return true;
    }

    public void Unlock(LockByte which) => locks?.Invoke($"unlock {which}");

    public bool IsStillThere() => true;

    public IStorage Reopen() => new CrashStorage(disk);

    public void Dispose() { }

    private void Perform(Operation operation, Action<bool> apply)
    {
        // Finally blocks of a dead process do nothing.
        if (_dead) throw new SimulatedCrash();
        Operations++;
        _operationsLeft--;
        Fate decided = fate?.Invoke(operation) ?? Fate.Done;
        if (decided is Fate.Done or Fate.CrashAfter) apply(false);
        if (decided is Fate.CrashMidway) apply(true);
        if (decided is Fate.Fail && operation.Kind == OperationKind.Sync) disk.FailSync();
        if (decided is Fate.Fail) throw new IOException("simulated failure", IoError);
        if (decided is Fate.FailFull) throw new IOException("simulated full disk", NoSpace);
        if (decided is not (Fate.CrashBefore or Fate.CrashMidway or Fate.CrashAfter)) return;
        _dead = true;
        throw new SimulatedCrash();
    }
}
