using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;

namespace DocumentStore.Twins;

/// <summary>
/// The same of what .NET brings along, in one process: a file of documents with their lengths, and everything else in memory. It has no
/// checksums, and reads the whole file when it opens.
/// </summary>
internal sealed class BclTwin : ITwin
{
    private readonly FileStream _file;
    private readonly Dictionary<string, int> _ids = [];
    private readonly List<(long Place, int Length)> _places = [];
    private readonly SortedSet<(string Name, int Id)> _byName = new(Comparer<(string Name, int Id)>.Create(static (left, right) =>
        string.CompareOrdinal(left.Name, right.Name) is var order and not 0 ? order : left.Id.CompareTo(right.Id)));
    private readonly SortedSet<(double Total, int Id)> _byTotal = [];
    private readonly Dictionary<string, HashSet<int>> _cities = [], _states = [], _skus = [];

    public BclTwin(string folder)
    {
        _file = new(Path.Combine(folder, "documents"), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, 1 << 20);
        byte[] head = new byte[8], bytes = new byte[1 << 16];
        long whole = 0;
        while (_file.ReadAtLeast(head, head.Length, throwOnEndOfStream: false) == head.Length)
        {
            int key = BinaryPrimitives.ReadInt32LittleEndian(head), content = BinaryPrimitives.ReadInt32LittleEndian(head.AsSpan(4));
            if (key + content > bytes.Length) Array.Resize(ref bytes, key + content);
            if (_file.ReadAtLeast(bytes.AsSpan(0, key + content), key + content, throwOnEndOfStream: false) < key + content) break;
            Index(Encoding.UTF8.GetString(bytes.AsSpan(0, key)), whole + 8 + key, bytes.AsMemory(key, content));
            whole += 8 + key + content;
        }
        _file.SetLength(whole);
        _file.Position = whole;
    }

    public void Commit(List<(string Key, ReadOnlyMemory<byte> Content)> batch)
    {
        Span<byte> head = stackalloc byte[8];
        foreach ((string key, ReadOnlyMemory<byte> content) in batch)
        {
            byte[] utf8 = Encoding.UTF8.GetBytes(key);
            BinaryPrimitives.WriteInt32LittleEndian(head, utf8.Length);
            BinaryPrimitives.WriteInt32LittleEndian(head[4..], content.Length);
            _file.Write(head);
            _file.Write(utf8);
            Index(key, _file.Position, content);
            _file.Write(content.Span);
        }
        _file.Flush(flushToDisk: true);
    }

    public void WaitForIndex()
    {
    }

    public int Get(string key) => _ids.TryGetValue(key, out int id) ? Fetch(id).Length : 0;

    public long Range(double total)
    {
        long bytes = 0;
        foreach ((_, int id) in _byTotal.GetViewBetween((total, 0), (double.MaxValue, 0)).Take(100)) bytes += Fetch(id).Length;
        return bytes;
    }

    public long Facets(string city)
    {
        HashSet<int> hits = [.. _cities[city]];
        hits.IntersectWith(_states["paid"]);
        return Top(_cities, hits) + Top(_states, hits) + Top(_skus, hits);
    }

    public void Dispose() => _file.Dispose();

    private static long Top(Dictionary<string, HashSet<int>> facet, HashSet<int> hits) =>
        facet.Select(value => (value.Key, Count: value.Value.Count < hits.Count ? value.Value.Count(hits.Contains)
            : hits.Count(value.Value.Contains)))
            .OrderByDescending(static value => value.Count).Take(10).Sum(static value => (long)value.Count);

    private byte[] Fetch(int id)
    {
        (long place, int length) = _places[id];
        byte[] content = new byte[length];
        RandomAccess.Read(_file.SafeFileHandle, content, place);
        return content;
    }

    private void Index(string key, long place, ReadOnlyMemory<byte> content)
    {
        int id = _places.Count;
        _places.Add((place, content.Length));
        if (!_ids.TryAdd(key, id)) throw new NotSupportedException("This twin only loads.");
        using JsonDocument json = JsonDocument.Parse(content);
        JsonElement root = json.RootElement, customer = root.GetProperty("customer");
        _byName.Add((customer.GetProperty("name").GetString()!, id));
        _byTotal.Add((root.GetProperty("total").GetDouble(), id));
        Add(_cities, customer.GetProperty("city"));
        Add(_states, root.GetProperty("state"));
        foreach (JsonElement line in root.GetProperty("lines").EnumerateArray()) Add(_skus, line.GetProperty("sku"));

        void Add(Dictionary<string, HashSet<int>> facet, JsonElement value) =>
            (CollectionsMarshal.GetValueRefOrAddDefault(facet, value.GetString()!, out _) ??= []).Add(id);
    }
}
