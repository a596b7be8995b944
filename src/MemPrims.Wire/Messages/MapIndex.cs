using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;

namespace MemPrims.Wire;

// Finds the entry of a key among the entries of a map: one by one up to Few, then by a hash table of positions. The hash is
// seeded anew in each process, so nobody can choose keys that collide: 50,000 chosen numbers took a plain dictionary 2.25 s.
internal sealed class MapIndex
{
    private const int Few = 8, LongestOnStack = 256;

    private static readonly ulong s_seed = NewSeed(), s_factor = NewSeed() | 1;

    // Positions plus one; 0 is free. Twice as many places as entries, at least.
    private int[] _places = [];
    private int _count;

    // The position of a key; -1 if no entry has it.
    public static int Find(SlotList list, MapKey key)
    {
        if (list.Count <= Few) return FindAmong(list, list.Count, key);
        MapIndex? index = list.Index;
        if (index is null || index._count != list.Count)
        {
            // Several threads may read a message: each sees an index that is whole, whoever made it.
            index = new();
            index.Build(list, list.Count);
            Volatile.Write(ref list.Index, index);
        }
        return index.Find(list, key, out _);
    }

    // The position of the entry that has the key of an entry of another map.
    public static int FindSame(SlotList list, ref Slot entry)
    {
        Span<byte> buffer = stackalloc byte[LongestOnStack];
        return Find(list, KeyOf(ref entry, buffer));
    }

    // Looks whether the last entry has a key that was there before; then it takes the place of that one.
    public static void Settle(SlotList list)
    {
        int last = list.Count - 1;
        Span<byte> buffer = stackalloc byte[LongestOnStack];
        MapKey key = KeyOf(ref list.Items[last], buffer);
        int before;
        if (last < Few) before = FindAmong(list, last, key);
        else
        {
            MapIndex index = list.Index ??= new();
            if (index._count != last) index.Build(list, last);
            before = index.Find(list, key, out int place);
            if (before < 0) index.Put(list, place, last);
        }
        if (before < 0) return;
        (list.Items[before], list.Items[last]) = (list.Items[last], list.Items[before]);
        list.Count--;
    }

    // Takes an entry out. The last one takes its place.
    public static void RemoveAt(SlotList list, int position)
    {
        int last = list.Count - 1;
        if (list.Index is { } index)
        {
            if (index._count == list.Count) index.Remove(list, position, last);
            else index.Forget();
        }
        list.Count = last;
        (list.Items[position], list.Items[last]) = (list.Items[last], list.Items[position]);
    }

    // Says that the entries were cleared: as many others are not the same.
    public void Forget() => _count = -1;

    private void Build(SlotList list, int count)
    {
        int size = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)count * 2 + 2);
        if (_places.Length < size) _places = new int[size];
        else Array.Clear(_places);
        _count = count;
        Span<byte> buffer = stackalloc byte[LongestOnStack];
        for (int i = 0; i < count; i++)
        {
            int place = PlaceOf(KeyOf(ref list.Items[i], buffer));
            while (_places[place] != 0) place = place + 1 & _places.Length - 1;
            _places[place] = i + 1;
        }
    }

    private void Put(SlotList list, int place, int position)
    {
        if ((position + 1) * 2 > _places.Length) Build(list, position + 1);
        else
        {
            _places[place] = position + 1;
            _count = position + 1;
        }
    }

    private int Find(SlotList list, MapKey key, out int place)
    {
        Span<byte> buffer = stackalloc byte[LongestOnStack];
        for (place = PlaceOf(key); _places[place] != 0; place = place + 1 & _places.Length - 1)
            if (key.Equals(KeyOf(ref list.Items[_places[place] - 1], buffer))) return _places[place] - 1;
        return -1;
    }

    // Forgets one entry, and notes that the last one is about to take its position. To build the whole index again for each removal took
    // 23 s for 80,000 keys.
    private void Remove(SlotList list, int position, int last)
    {
        int mask = _places.Length - 1, free = FindPlace(list, position);
        Span<byte> buffer = stackalloc byte[LongestOnStack];
        // An entry behind the freed place moves into it, unless the search for that entry begins behind the freed place.
        for (int place = free + 1 & mask; _places[place] != 0; place = place + 1 & mask)
        {
            int wanted = PlaceOf(KeyOf(ref list.Items[_places[place] - 1], buffer));
            if ((place - wanted & mask) < (place - free & mask)) continue;
            _places[free] = _places[place];
            free = place;
        }
        _places[free] = 0;
        if (position != last) _places[FindPlace(list, last)] = position + 1;
        _count = last;
    }

    // Where the position of an entry is noted.
    private int FindPlace(SlotList list, int position)
    {
        Span<byte> buffer = stackalloc byte[LongestOnStack];
        int place = PlaceOf(KeyOf(ref list.Items[position], buffer));
        while (_places[place] != position + 1) place = place + 1 & _places.Length - 1;
        return place;
    }

    private static int FindAmong(SlotList list, int count, MapKey key)
    {
        Span<byte> buffer = stackalloc byte[LongestOnStack];
        for (int i = 0; i < count; i++)
            if (key.Equals(KeyOf(ref list.Items[i], buffer))) return i;
        return -1;
    }

    private int PlaceOf(MapKey key) => (int)(key.Hash(s_seed, s_factor) & (uint)(_places.Length - 1));

    private static MapKey KeyOf(ref Slot item, Span<byte> buffer)
    {
        Message entry = (Message)item.Ref!;
        ref Slot key = ref entry.SlotOf(0);
        if (!entry.Type.Fields[0].IsText) return new(key.Bits);
        return key.Ref is string text ? MapKey.Of(text, buffer) : new(key.Span(entry.Source));
    }

    private static ulong NewSeed() => MemoryMarshal.Read<ulong>(RandomNumberGenerator.GetBytes(8));
}

// The key of a map entry: a number, or text as UTF-8.
internal readonly ref struct MapKey
{
    private readonly ulong _bits;
    private readonly ReadOnlySpan<byte> _text;
    private readonly bool _isText;

    public MapKey(ulong bits) => _bits = bits;

    public MapKey(ReadOnlySpan<byte> text)
    {
        _text = text;
        _isText = true;
    }

    public static MapKey Of(string text, Span<byte> buffer)
    {
        int most = Encoding.UTF8.GetMaxByteCount(text.Length);
        if (most > buffer.Length) buffer = new byte[most];
        return new(buffer[..Encoding.UTF8.GetBytes(text, buffer)]);
    }

    public bool Equals(MapKey other) => _isText ? Block.Equal(_text, other._text) : _bits == other._bits;

    public ulong Hash(ulong seed, ulong factor)
    {
        // The framework's hash of text is seeded too. It takes pairs of bytes; a byte that is left over is mixed in below.
        ulong bits = _isText ? (uint)string.GetHashCode(MemoryMarshal.Cast<byte, char>(_text)) : _bits;
        if (_isText && (_text.Length & 1) != 0) bits |= (ulong)(_text[^1] + 1) << 32;
        ulong high = Math.BigMul(bits ^ seed, factor, out ulong low);
        return high ^ low;
    }
}
