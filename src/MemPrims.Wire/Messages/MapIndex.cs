using System.Security.Cryptography;

namespace MemPrims.Wire;

// Finds the entry of a key among the entries of a map: one by one up to Few, then by a set of their positions, hashed by their keys. The
// hash is seeded anew in each process, so nobody can choose keys that collide: 50,000 chosen numbers took a plain dictionary 2.25 s.
internal sealed class MapIndex : IEqualityComparer<int>, IAlternateEqualityComparer<MapKey, int>
{
    private const int Few = 8, Smallest = 4 * Few;

    private static readonly ulong s_seed = NewSeed(), s_factor = NewSeed() | 1;

    private readonly SlotList _list;
    private readonly HashSet<int> _positions;

    private MapIndex(SlotList list)
    {
        _list = list;
        _positions = new(Smallest, this);
    }

    // The position of a key; -1 if no entry has it.
    public static int Find(SlotList list, in MapKey key)
    {
        if (list.Count <= Few) return FindAmong(list, list.Count, key);
        MapIndex? index = list.Index;
        if (index?._positions.Count != list.Count)
        {
            // Several threads may read a message: each sees an index that is whole, whoever made it.
            index = new(list);
            index.Fill(list.Count);
            Volatile.Write(ref list.Index, index);
        }
        return index._positions.GetAlternateLookup<MapKey>().TryGetValue(key, out int position) ? position : -1;
    }

    // Looks whether the last entry has a key that was there before; then it takes the place of that one.
    public static void Settle(SlotList list)
    {
        int last = list.Count - 1, before;
        if (last < Few) before = FindAmong(list, last, MapKey.Of(ref list.Items[last]));
        else
        {
            MapIndex index = list.Index ??= new(list);
            if (index._positions.Count != last) index.Fill(last);
            if (index._positions.Add(last)) return;
            index._positions.TryGetValue(last, out before);
        }
        if (before < 0) return;
        (list.Items[before], list.Items[last]) = (list.Items[last], list.Items[before]);
        list.Count--;
    }

    // Takes an entry out. The last one takes its place. The index is changed with it: to build it again for each removal took 23 s for
    // 80,000 keys.
    public static void RemoveAt(SlotList list, int position)
    {
        int last = list.Count - 1;
        HashSet<int>? positions = list.Index?._positions;
        bool isIndexed = positions?.Count == list.Count;
        if (!isIndexed) list.Index?.Forget();
        else if (positions!.Remove(last) && position != last) positions.Remove(position);
        list.Count = last;
        (list.Items[position], list.Items[last]) = (list.Items[last], list.Items[position]);
        if (isIndexed && position != last) positions!.Add(position);
    }

    // Says that the entries were cleared: as many others are not the same.
    public void Forget() => _positions.Clear();

    // Two positions are the same where their keys are.
    bool IEqualityComparer<int>.Equals(int position, int other) =>
        position == other || MapKey.Of(ref _list.Items[position]).IsOf(ref _list.Items[other]);

    int IEqualityComparer<int>.GetHashCode(int position) => HashOf(MapKey.Of(ref _list.Items[position]));

    bool IAlternateEqualityComparer<MapKey, int>.Equals(MapKey key, int position) => key.IsOf(ref _list.Items[position]);

    int IAlternateEqualityComparer<MapKey, int>.GetHashCode(MapKey key) => HashOf(key);

    int IAlternateEqualityComparer<MapKey, int>.Create(MapKey key) => throw new NotSupportedException();

    private void Fill(int count)
    {
        _positions.Clear();
        for (int i = 0; i < count; i++) _positions.Add(i);
    }

    private static int HashOf(in MapKey key) => (int)key.Hash(s_seed, s_factor);

    private static int FindAmong(SlotList list, int count, in MapKey key)
    {
        for (int i = 0; i < count; i++)
            if (key.IsOf(ref list.Items[i])) return i;
        return -1;
    }

    private static ulong NewSeed() => MemoryMarshal.Read<ulong>(RandomNumberGenerator.GetBytes(8));
}

// The key of a map entry: a number, a string, or the UTF-8 of a slice.
internal readonly ref struct MapKey
{
    private const int LongestOnStack = 256;

    private readonly ulong _bits;
    private readonly string? _text;
    private readonly ReadOnlySpan<byte> _utf8;

    public MapKey(ulong bits) => _bits = bits;

    public MapKey(string text) => _text = text;

    public MapKey(ReadOnlySpan<byte> utf8)
    {
        _utf8 = utf8;
        // Told from a number.
        if (utf8.IsEmpty) _text = "";
    }

    public static MapKey Of(ref Slot item)
    {
        Message entry = (Message)item.Ref!;
        ref Slot key = ref entry.SlotOf(0);
        if (!entry.Type.Ops[0].Field.IsText) return new(key.Bits);
        return key.Ref is string text ? new(text) : new(key.Span(entry.Source));
    }

    public bool IsOf(ref Slot item)
    {
        ref Slot key = ref ((Message)item.Ref!).SlotOf(0);
        if (_text is null && _utf8.IsEmpty) return key.Bits == _bits;
        return _text is not null && key.Ref is string text ? text == _text : HasTextOf(Of(ref item));
    }

    private bool HasTextOf(in MapKey other)
    {
        if (_text is not null) return other._text is not null ? _text == other._text : IsSame(_text, other._utf8);
        return other._text is not null ? IsSame(other._text, _utf8) : _utf8.SequenceEqual(other._utf8);
    }

    // A string is hashed as it is: keys that are slices of UTF-8 are rarer, and are put into UTF-16 for it.
    public ulong Hash(ulong seed, ulong factor)
    {
        ulong bits = _text is not null ? (uint)_text.GetHashCode() : _utf8.IsEmpty ? _bits : HashOf(_utf8);
        ulong high = Math.BigMul(bits ^ seed, factor, out ulong low);
        return high ^ low;
    }

    // The hash that the string has. Bytes that are not UTF-8 are no string's, and have the framework's seeded hash of their own: they
    // would all be the same replacement character.
    private static ulong HashOf(ReadOnlySpan<byte> utf8)
    {
        Span<char> text = utf8.Length <= LongestOnStack ? stackalloc char[LongestOnStack] : new char[utf8.Length];
        if (Utf8.ToUtf16(utf8, text, out _, out int length, replaceInvalidSequences: false) == OperationStatus.Done)
            return (uint)string.GetHashCode(text[..length]);
        // The hash takes pairs of bytes. A byte that is left over is mixed in.
        ulong hash = (uint)string.GetHashCode(MemoryMarshal.Cast<byte, char>(utf8));
        return (utf8.Length & 1) != 0 ? hash | (ulong)(utf8[^1] + 1) << 32 : hash;
    }

    private static bool IsSame(string text, ReadOnlySpan<byte> utf8)
    {
        if (utf8.Length < text.Length || utf8.Length > 3L * text.Length) return false;
        Span<byte> own = utf8.Length <= LongestOnStack ? stackalloc byte[LongestOnStack] : new byte[utf8.Length];
        return Utf8.FromUtf16(text, own[..utf8.Length], out _, out int length, replaceInvalidSequences: false) == OperationStatus.Done
            && own[..length].SequenceEqual(utf8);
    }
}
