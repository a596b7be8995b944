using MemPrims.Systems;

namespace MemPrims.Records.Tests.Log;

internal enum DiskCall
{
    Write,
    Sync,
    Create,
    Publish,
    Delete,
    SyncFolder,
}

// What a process asks of its disk. `First`: which file. `Opens`: whether the log is being opened.
internal readonly record struct DiskOperation(DiskCall Call, long First, byte[] Bytes, int Number, bool Opens);

// A folder on a disk with a page cache: what is on the platter, and what is only in memory, sectors of files and names of files. When
// power is lost the platter keeps any of these.
internal sealed class LogDisk
{
    public const int Sector = 64, Capacity = 1 << 15;
    private const long Beside = -1;

    private readonly SortedDictionary<long, DiskFile> _names = [], _platter = [];
    private readonly List<Action<SortedDictionary<long, DiskFile>>> _pending = [];

    // What becomes of each operation.
    public Func<DiskOperation, Fate> Fate { get; set; } = static _ => Faults.Fate.Done;

    public int Operations { get; private set; }

    public bool IsDead { get; private set; }

    public bool Opens { get; set; }

    public SortedDictionary<long, DiskFile> Names => _names;

    public List<(long First, byte[] Bytes)> Image() => [.. _names.Where(n => n.Key >= 0).Select(n => (n.Key, n.Value.View.ToArray()))];

    // The next sync tells that it has begun, and waits.
    public void HoldNextSync(SemaphoreSlim hasBegun, SemaphoreSlim goesOn)
    {
        int syncs = 0;
        Fate = operation =>
        {
            if (operation.Call != DiskCall.Sync || Interlocked.Increment(ref syncs) != 1) return Faults.Fate.Done;
            hasBegun.Release();
            goesOn.Wait();
            return Faults.Fate.Done;
        };
    }

    // The process is gone, and a new one may come. The cache is as it was.
    public void Kill() => (IsDead, Operations, Fate, Opens) = (false, 0, static _ => Faults.Fate.Done, false);

    public void LosePower(Random random)
    {
        Kill();
        int mode = random.Next(4);
        foreach (DiskFile file in _names.Values.Concat(_platter.Values).Distinct()) file.LosePower(random, mode);
        double chance = mode switch { 0 => 0, 1 => 1, _ => .5 };
        foreach (Action<SortedDictionary<long, DiskFile>> change in _pending)
            if (random.NextDouble() < chance) change(_platter);
        _pending.Clear();
        _names.Clear();
        foreach ((long name, DiskFile file) in _platter) _names[name] = file;
    }

    public void Perform(DiskCall call, long first, byte[] bytes, Action<bool> apply, Action? failed = null)
    {
        // Finally blocks of a dead process do nothing.
        if (IsDead) throw new SimulatedCrash();
        Fate decided = Fate(new(call, first, bytes, Operations++, Opens));
        if (decided is Faults.Fate.Done or Faults.Fate.CrashAfter) apply(false);
        if (decided is Faults.Fate.CrashMidway) apply(true);
        if (decided is Faults.Fate.Fail) failed?.Invoke();
        if (decided is Faults.Fate.Fail) throw new IOException("simulated failure", 5);
        if (decided is Faults.Fate.FailFull) throw new IOException("simulated full disk", 28);
        if (decided is not (Faults.Fate.CrashBefore or Faults.Fate.CrashMidway or Faults.Fate.CrashAfter)) return;
        IsDead = true;
        throw new SimulatedCrash();
    }

    public void Change(DiskCall call, long first, Action<SortedDictionary<long, DiskFile>> change) =>
        Perform(call, first, [], part =>
        {
            if (part) return;
            change(_names);
            _pending.Add(change);
        });

    public IStorage NewFile()
    {
        // One of that name goes first, and whatever else names it stays as it is.
        DiskFile file = new();
        Change(DiskCall.Create, Beside, names => names[Beside] = file);
        return new DiskStorage(this, file, Beside);
    }

    public void Publish(long first) => Change(DiskCall.Publish, first, names =>
    {
        if (names.Remove(Beside, out DiskFile? file)) names[first] = file;
    });

    public void SyncFolder() => Perform(DiskCall.SyncFolder, 0, [], part =>
    {
        if (part) return;
        foreach (Action<SortedDictionary<long, DiskFile>> change in _pending) change(_platter);
        _pending.Clear();
    });
}

internal sealed unsafe class DiskFile
{
    private readonly byte[] _cache = GC.AllocateArray<byte>(LogDisk.Capacity, pinned: true), _platter = new byte[LogDisk.Capacity];
    private readonly SortedSet<int> _dirty = [];
    private int _platterLength;

    public int Length { get; private set; }

    public Span<byte> View => _cache.AsSpan(0, Length);

    public byte* Start => (byte*)System.Runtime.InteropServices.Marshal.UnsafeAddrOfPinnedArrayElement(_cache, 0);

    public void Write(int at, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_cache.AsSpan(at));
        Length = Math.Max(Length, at + bytes.Length);
        for (int sector = at / LogDisk.Sector; sector * LogDisk.Sector < at + bytes.Length; sector++) _dirty.Add(sector);
    }

    public void Sync()
    {
        foreach (int sector in _dirty) Persist(sector);
        _platterLength = Length;
        _dirty.Clear();
    }

    // What a failed sync does: the kernel takes the pages for clean, though they never reached the platter.
    public void FailSync() => _dirty.Clear();

    // A bit that rots on the platter, of what is there.
    public void Rot(int at, int bit) => _cache[at] = _platter[at] ^= (byte)(1 << bit);

    public void LosePower(Random random, int mode)
    {
        int[] dirty = [.. _dirty];
        int turn = random.Next(dirty.Length + 1);
        for (int i = 0; i < dirty.Length; i++)
        {
            bool isKept = mode switch { 0 => false, 1 => true, 2 => random.Next(2) == 0, _ => random.Next(2) == 0 ? i < turn : i >= turn };
            if (isKept) Persist(dirty[i]);
        }
        int most = Math.Max(_platterLength, Length);
        Length = _platterLength = random.Next(3) switch { 0 => _platterLength, 1 => most, _ => random.Next(_platterLength, most + 1) };
        _platter.AsSpan(Length).Clear();
        _platter.CopyTo(_cache, 0);
        _dirty.Clear();
    }

    private void Persist(int sector) =>
        _cache.AsSpan(sector * LogDisk.Sector, LogDisk.Sector).CopyTo(_platter.AsSpan(sector * LogDisk.Sector));
}

internal sealed unsafe class DiskStorage(LogDisk disk, DiskFile file, long first) : IStorage
{
    public string Path => $"(disk){first}";

    public bool CanWrite => true;

    public long Length => file.Length;

    public int Read(long offset, Span<byte> bytes)
    {
        int read = (int)Math.Clamp(file.Length - offset, 0, bytes.Length);
        new ReadOnlySpan<byte>(file.Start + offset, read).CopyTo(bytes);
        return read;
    }

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        byte[] kept = bytes.ToArray();
        disk.Perform(DiskCall.Write, first, kept, part => file.Write((int)offset, part ? kept.AsSpan(0, kept.Length / 3) : kept));
    }

    public void Extend(long length) => throw new NotSupportedException();

    public void BeginSync() { }

    public void Sync() => disk.Perform(DiskCall.Sync, first, [], part =>
    {
        if (!part) file.Sync();
    }, file.FailSync);

    public MappedRegion Map(long offset, long length) => new(file.Start + offset, length, file);

    public bool TryLock(LockByte which, bool exclusive) => true;

    public void Unlock(LockByte which) { }

    public bool IsStillThere() => true;

    public IStorage Reopen() => throw new NotSupportedException();

    public void Dispose() { }
}

// A process's hold on a LogDisk.
internal sealed class DiskFolder(LogDisk disk) : ILogFolder
{
    public string Path => "(disk)";

    public bool TryLock() => true;

    public bool IsStillLocked() => true;

    public long[] List() => [.. disk.Names.Keys.Where(first => first >= 0)];

    public bool Has(long first) => disk.Names.ContainsKey(first);

    public IStorage Open(long first, bool writes) => new DiskStorage(disk, disk.Names[first], first);

    public IStorage CreateBeside(FileRights? rights) => disk.NewFile();

    public void Publish(long first) => disk.Publish(first);

    public void Delete(long first) => disk.Change(DiskCall.Delete, first, names => names.Remove(first));

    public void Sync() => disk.SyncFolder();

    public void Dispose() { }
}
