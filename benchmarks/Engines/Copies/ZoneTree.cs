using ZoneTree;
using ZoneTree.Options;

/// <summary>Upserts and gets of 100 bytes in memory, and gets from a disk segment.</summary>
public static class Engine
{
    private const int ValueBytes = 100;

    public static IEnumerable<(string, int, long, Func<long>, Action)> Rows(string folder, int count)
    {
        int opened = 0;
        foreach (string prefix in Keys.Prefixes)
        {
            Memory<byte>[] keys = [.. Keys.Of(count, prefix).Select(key => key.AsMemory())], few = Keys.Shuffled(keys, 2)[..(count / 5)];
            string name = $"{keys[0].Length} B keys";
            byte[] value = new byte[ValueBytes];
            IZoneTree<Memory<byte>, Memory<byte>> made = null, full = Open(), stored = Open();
            Upsert(full, keys, value);
            Upsert(stored, keys, value);
            stored.Maintenance.MoveMutableSegmentForward();
            stored.Maintenance.StartMergeOperation()?.Join();
            yield return ($"{name}: insert into a new tree", few.Length, few.Length, () => Upsert(made, few, value), () =>
            {
                made?.Dispose();
                made = Open();
            });
            yield return ($"{name}: get", few.Length, (long)few.Length * ValueBytes, () => Get(full, few), null);
            Memory<byte>[] fewer = few[..(few.Length / 10)];
            long found = (long)fewer.Length * ValueBytes;
            yield return ($"{name}: get from a disk segment", fewer.Length, found, () => Get(stored, fewer), null);
        }

        IZoneTree<Memory<byte>, Memory<byte>> Open() => new ZoneTreeFactory<Memory<byte>, Memory<byte>>()
            .SetDataDirectory(Path.Combine(folder, $"{opened++}")).SetMutableSegmentMaxItemCount(10_000_000)
            .ConfigureWriteAheadLogOptions(options => options.WriteAheadLogMode = WriteAheadLogMode.None).OpenOrCreate();
    }

    private static long Upsert(IZoneTree<Memory<byte>, Memory<byte>> tree, Memory<byte>[] keys, byte[] value)
    {
        foreach (Memory<byte> key in keys) tree.Upsert(key, value);
        return keys.Length;
    }

    private static long Get(IZoneTree<Memory<byte>, Memory<byte>> tree, Memory<byte>[] keys)
    {
        long sum = 0;
        foreach (Memory<byte> key in keys) sum += tree.TryGet(key, out Memory<byte> found) ? found.Length : 0;
        return sum;
    }
}
