using System.Text;
using Entry = System.Collections.Generic.KeyValuePair<System.ReadOnlyMemory<byte>, System.ReadOnlyMemory<byte>>;

namespace MemPrims.Pages;

/// <summary>
/// Sorts entries for <see cref="SortedTree.BuildFrom"/>, within a given memory: sorted runs go to files, and are merged while they are
/// read. Threads: each enumeration is for one; it sorts anew.
/// </summary>
public static class SortedEntries
{
    private const int LeastMemory = 64 << 10, EntryOverhead = 64, MostRuns = 64;

    /// <summary>The entries in the order of their keys' bytes. Of several with one key the last one stays, as by Set.</summary>
    /// <param name="source">Entries in any order. Their memory may be used again for the next ones.</param>
    /// <param name="memory">About how many bytes to use, from 64 KiB on; one entry may take more.</param>
    /// <param name="folder">Where runs are written. They are deleted when the enumeration ends.</param>
    /// <exception cref="ArgumentOutOfRangeException">The memory is less than 64 KiB.</exception>
    /// <exception cref="IOException">While the entries are read: the disk is full, or the folder is not there.</exception>
    public static IEnumerable<Entry> Sort(IEnumerable<Entry> source, long memory, string folder)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(folder);
        ArgumentOutOfRangeException.ThrowIfLessThan(memory, LeastMemory);
        return SortAll(source, memory, folder);
    }

    private static IEnumerable<Entry> SortAll(IEnumerable<Entry> source, long memory, string folder)
    {
        List<FileStream> runs = [];
        try
        {
            List<Entry> entries = [];
            long bytes = 0;
            foreach ((ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value) in source)
            {
                entries.Add(new(key.ToArray(), value.ToArray()));
                bytes += key.Length + value.Length + 2 * EntryOverhead;
                // Half of the memory is for the sort and for the buffers of the runs.
                if (bytes < memory / 2) continue;
                runs.Add(Write(InOrder(entries), folder));
                entries.Clear();
                bytes = 0;
                if (runs.Count == MostRuns) Unite(runs, folder);
            }
            foreach (Entry entry in Merge([.. runs.Select(Read), InOrder(entries)])) yield return entry;
        }
        finally
        {
            foreach (FileStream run in runs) run.Dispose();
        }
    }

    // The sort keeps the order of equal keys, and of these the last one counts.
    private static IEnumerable<Entry> InOrder(List<Entry> entries) =>
        entries.OrderBy(static entry => entry.Key, BlockComparer.Instance);

    private static void Unite(List<FileStream> runs, string folder)
    {
        FileStream united = Write(Merge([.. runs.Select(Read)]), folder);
        foreach (FileStream run in runs) run.Dispose();
        runs.Clear();
        runs.Add(united);
    }

    // One row out of several, each in order; of equal keys the last one of the last row.
    private static IEnumerable<Entry> Merge(List<IEnumerable<Entry>> rows)
    {
        PriorityQueue<IEnumerator<Entry>, (ReadOnlyMemory<byte> Key, int Row)> next = new(
            Comparer<(ReadOnlyMemory<byte> Key, int Row)>.Create(static (left, right) =>
                BlockComparer.Instance.Compare(left.Key, right.Key) is var order and not 0 ? order : left.Row - right.Row));
        for (int i = 0; i < rows.Count; i++)
        {
            IEnumerator<Entry> row = rows[i].GetEnumerator();
            if (row.MoveNext()) next.Enqueue(row, (row.Current.Key, i));
        }
        Entry last = default;
        bool any = false;
        while (next.TryDequeue(out IEnumerator<Entry>? row, out (ReadOnlyMemory<byte> Key, int Row) at))
        {
            Entry entry = row.Current;
            if (any && !BlockComparer.Instance.Equals(last.Key, entry.Key)) yield return last;
            (last, any) = (entry, true);
            if (row.MoveNext()) next.Enqueue(row, at with { Key = row.Current.Key });
        }
        if (any) yield return last;
    }

    private static FileStream Write(IEnumerable<Entry> entries, string folder)
    {
        string path = Path.Combine(folder, $"{Guid.NewGuid():N}.run");
        FileStream run = new(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, 1 << 16, FileOptions.DeleteOnClose);
        SystemFile.Here.Unname(path);
        try
        {
            using BinaryWriter to = new(run, Encoding.UTF8, leaveOpen: true);
            foreach ((ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value) in entries)
            {
                to.Write(key.Length);
                to.Write(value.Length);
                to.Write(key.Span);
                to.Write(value.Span);
            }
            return run;
        }
        catch
        {
            run.Dispose();
            throw;
        }
    }

    private static IEnumerable<Entry> Read(FileStream run)
    {
        using BinaryReader from = new(run, Encoding.UTF8, leaveOpen: true);
        run.Position = 0;
        while (run.Position < run.Length)
        {
            byte[] key = new byte[from.ReadInt32()], value = new byte[from.ReadInt32()];
            run.ReadExactly(key);
            run.ReadExactly(value);
            yield return new(key, value);
        }
    }
}
