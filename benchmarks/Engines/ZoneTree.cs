using ZoneTree;
using ZoneTree.Options;

// Usage: <keys>. Upserts and gets of 100 bytes in memory, gets from a disk segment, and 4 KiB values with a write-ahead log.
const int ValueBytes = 100, LargeBytes = 4096;
int count = int.Parse(args[0]), some = count / 10;
Rounds.InFolder(folder =>
{
    int opened = 0;
    IZoneTree<Memory<byte>, Memory<byte>>? tree = null;
    foreach (string prefix in (string[])["orders/", "customers/europe/france/orders/2026/"])
    {
        Memory<byte>[] keys = [.. Rounds.Keys(count, prefix).Select(key => key.AsMemory())], queries = Rounds.Shuffled(keys, 2);
        string name = $"{prefix.Length + 12} B keys";
        byte[] value = new byte[ValueBytes];
        Rounds.Time($"{name}: upsert, in memory", count, 3, () => Upsert(keys, value), count, () => Open(WriteAheadLogMode.None));
        Rounds.Time($"{name}: get, in memory", count, 5, () => Get(queries), (long)count * ValueBytes);
        tree!.Maintenance.MoveMutableSegmentForward();
        tree.Maintenance.StartMergeOperation()?.Join();
        Rounds.Time($"{name}: get, from disk segment", some, 3, () => Get(queries.AsSpan(0, some)), (long)some * ValueBytes);
    }
    byte[] large = new byte[LargeBytes];
    new Random(3).NextBytes(large);
    Memory<byte>[] few = [.. Rounds.Keys(some, "orders/").Select(key => key.AsMemory())];
    Action logged = () => Open(WriteAheadLogMode.Sync);
    Rounds.Time("4 KiB values: upsert with a write-ahead log", some, 3, () => Upsert(few, large), some, logged);
    tree!.Dispose();

    void Open(WriteAheadLogMode mode)
    {
        tree?.Dispose();
        tree = new ZoneTreeFactory<Memory<byte>, Memory<byte>>().SetDataDirectory(Path.Combine(folder, $"{opened++}"))
            .SetMutableSegmentMaxItemCount(10_000_000)
            .ConfigureWriteAheadLogOptions(options => options.WriteAheadLogMode = mode).OpenOrCreate();
    }

    long Upsert(Memory<byte>[] keys, byte[] value)
    {
        foreach (Memory<byte> key in keys) tree!.Upsert(key, value);
        return keys.Length;
    }

    long Get(ReadOnlySpan<Memory<byte>> keys)
    {
        long sum = 0;
        foreach (Memory<byte> key in keys) sum += tree!.TryGet(key, out Memory<byte> found) ? found.Length : 0;
        return sum;
    }
});
