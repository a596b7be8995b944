using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Benchmarks.Workloads;
using MemPrims.Pages;

namespace MemPrims.Benchmarks.Pages;

/// <summary>Loads of keys with values of 8 bytes or more, and what is asked of them afterwards.</summary>
internal sealed unsafe class TreeWork : IDisposable
{
    public const int Entries = 1_000_000, Lookups = 200_000, Scans = 500, ScanLength = 1000;

    private readonly byte[][] _keys;
    private readonly byte[][] _queries;
    private readonly MemoryPages _pages = new();
    private readonly SortedTree _tree;
    private readonly LmdbIndex? _lmdb;
    private readonly Random _random = new(9);

    /// <param name="keys">Every fourth of them is left out, for queries that miss.</param>
    /// <param name="valueBytes">How long the values are; their first 8 bytes are read.</param>
    public TreeWork(byte[][] keys, int valueBytes = sizeof(long))
    {
        byte[] value = new byte[valueBytes];
        _keys = keys;
        _queries = PageKeys.Shuffled(keys);
        _tree = new(_pages);
        _lmdb = LmdbLibrary.IsAvailable ? new() : null;
        for (int i = 0; i < keys.Length; i++)
        {
            if (i % 4 == 3) continue;
            MemoryMarshal.Write(value, (long)i);
            _tree.Set(keys[i], value);
            _lmdb?.Put(keys[i], value, false);
        }
        _lmdb?.BeginReading();
    }

    public static long Load(byte[][] keys)
    {
        using MemoryPages pages = new();
        return Load(keys, pages);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Load(byte[][] keys, MemoryPages pages)
    {
        SortedTree tree = new(pages);
        for (int i = 0; i < keys.Length; i++)
        {
            long value = i;
            tree.Set(keys[i], new(&value, sizeof(long)));
        }
        return tree.Count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long LoadDictionary(byte[][] keys)
    {
        SortedDictionary<byte[], long> dictionary = new(new BclOrder());
        for (int i = 0; i < keys.Length; i++) dictionary[keys[i]] = i;
        return dictionary.Count;
    }

    /// <summary>
    /// Add descends once for a new key. `d[key] =` descends twice; it replaces too, as <see cref="SortedTree.Set"/> does.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long AddToDictionary(byte[][] keys)
    {
        SortedDictionary<byte[], long> dictionary = new(new BclOrder());
        for (int i = 0; i < keys.Length; i++) dictionary.Add(keys[i], i);
        return dictionary.Count;
    }

    public static long LoadLmdb(byte[][] keys, bool append)
    {
        using LmdbIndex index = new();
        for (int i = 0; i < keys.Length; i++)
        {
            long value = i;
            index.Put(keys[i], new(&value, sizeof(long)), append);
        }
        return keys.Length;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Find()
    {
        long sum = 0;
        int at = _random.Next(_queries.Length);
        for (int i = 0; i < Lookups; i++)
        {
            if (_tree.TryGet(_queries[at], out ReadOnlySpan<byte> value)) sum += MemoryMarshal.Read<long>(value);
            if (++at == _queries.Length) at = 0;
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long FindLmdb()
    {
        long sum = 0;
        int at = _random.Next(_queries.Length);
        for (int i = 0; i < Lookups; i++)
        {
            if (_lmdb!.TryGet(_queries[at], out ulong value)) sum += (long)value;
            if (++at == _queries.Length) at = 0;
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Scan()
    {
        long sum = 0;
        for (int i = 0; i < Scans; i++)
        {
            int left = ScanLength;
            SortedCursor cursor = _tree.Scan(_keys[_random.Next(_keys.Length)]);
            while (left-- > 0 && cursor.Next()) sum += MemoryMarshal.Read<long>(cursor.Value) + cursor.Key.Length;
        }
        return sum;
    }

    public long ScanLmdb()
    {
        long sum = 0;
        for (int i = 0; i < Scans; i++) sum += _lmdb!.Scan(_keys[_random.Next(_keys.Length)], ScanLength);
        return sum;
    }

    public string Size
    {
        get
        {
            SortedTreeStatistics of = _tree.Statistics;
            double entries = _tree.Count, bytes = of.Pages * _pages.PageSize;
            string own = $"{entries} entries: {bytes / entries:0.0} B each, filled {of.Fill:0.00}, {of.Levels} levels";
            return _lmdb is null ? own : $"{own}; LMDB {_lmdb.Bytes / entries:0.0} B, ratio {_lmdb.Bytes / bytes:0.00}";
        }
    }

    public void Dispose()
    {
        _pages.Dispose();
        _lmdb?.Dispose();
    }

    private sealed class BclOrder : IComparer<byte[]>
    {
        public int Compare(byte[]? left, byte[]? right) => left.AsSpan().SequenceCompareTo(right);
    }
}
