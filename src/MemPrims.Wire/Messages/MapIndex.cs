using System.Security.Cryptography;
using System.Text.Unicode;

namespace MemPrims.Wire;

// Finds the entry of a key among the entries of a map: one by one up to Few, then by a hash table of positions. The hash is
// seeded anew in each process, so nobody can choose keys that collide: 50,000 chosen numbers took a plain dictionary 2.25 s.
internal sealed class MapIndex
{
    private const int Few = 8, Smallest = 64;

    private static readonly ulong s_seed = NewSeed(), s_factor = NewSeed() | 1;

    // The hash of a key in the upper half, the position of its entry plus one in the lower; 0 is free. Twice as many places as entries,
    // at least. With the hash at hand, no key is looked at to make the table larger, nor, mostly, to see that it is another one.
    private ulong[] _places = [];
    private int _count;

    // The position of a key; -1 if no entry has it.
    public static int Find(SlotList list, in MapKey key)
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
        return index.Find(list, key, HashOf(key), out _);
    }

    // The position of the entry that has the key of an entry of another map.
    public static int FindSame(SlotList list, ref Slot entry) => Find(list, MapKey.Of(ref entry));

    // Looks whether the last entry has a key that was there before; then it takes the place of that one.
    public static void Settle(SlotList list)
    {
        int last = list.Count - 1;
        MapKey key = MapKey.Of(ref list.Items[last]);
        int before;
        if (last < Few) before = FindAmong(list, last, key);
        else
        {
            MapIndex index = list.Index ??= new();
            if (index._count != last) index.Build(list, last);
            uint hash = HashOf(key);
            before = index.Find(list, key, hash, out int place);
            if (before < 0) index.Put(place, hash, last);
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
        int size = SizeFor(count);
        if (_places.Length < size) _places = new ulong[size];
        else Array.Clear(_places);
        _count = count;
        for (int i = 0; i < count; i++) Enter(Place(HashOf(MapKey.Of(ref list.Items[i])), i));
    }

    private void Put(int place, uint hash, int position)
    {
        _count = position + 1;
        if (2 * _count <= _places.Length)
        {
            _places[place] = Place(hash, position);
            return;
        }
        ulong[] before = _places;
        _places = new ulong[SizeFor(_count)];
        foreach (ulong taken in before)
            if (taken != 0) Enter(taken);
        Enter(Place(hash, position));
    }

    private void Enter(ulong taken)
    {
        int place = Wanted(taken);
        while (_places[place] != 0) place = place + 1 & _places.Length - 1;
        _places[place] = taken;
    }

    private int Find(SlotList list, in MapKey key, uint hash, out int place)
    {
        for (place = Wanted((ulong)hash << 32); _places[place] is var taken && taken != 0; place = place + 1 & _places.Length - 1)
            if (taken >> 32 == hash && key.IsOf(ref list.Items[Position(taken)])) return Position(taken);
        return -1;
    }

    // Forgets one entry, and notes that the last one is about to take its position. To build the whole index again for each removal took
    // 23 s for 80,000 keys.
    private void Remove(SlotList list, int position, int last)
    {
        int mask = _places.Length - 1, free = FindPlace(list, position);
        // An entry after the freed place moves into it, unless the search for that entry begins after the freed place.
        for (int place = free + 1 & mask; _places[place] != 0; place = place + 1 & mask)
        {
            if ((place - Wanted(_places[place]) & mask) < (place - free & mask)) continue;
            _places[free] = _places[place];
            free = place;
        }
        _places[free] = 0;
        if (position != last)
        {
            int moved = FindPlace(list, last);
            _places[moved] = Place((uint)(_places[moved] >> 32), position);
        }
        _count = last;
    }

    // Where the position of an entry is noted.
    private int FindPlace(SlotList list, int position)
    {
        ulong wanted = Place(HashOf(MapKey.Of(ref list.Items[position])), position);
        int place = Wanted(wanted);
        while (_places[place] != wanted) place = place + 1 & _places.Length - 1;
        return place;
    }

    // Where the search for a key with that hash begins.
    private int Wanted(ulong taken) => (int)(taken >> 32) & _places.Length - 1;

    private static ulong Place(uint hash, int position) => (ulong)hash << 32 | (uint)position + 1;

    private static int Position(ulong taken) => (int)(uint)taken - 1;

    private static int SizeFor(int count) => Math.Max(Smallest, (int)BitOperations.RoundUpToPowerOf2((uint)count * 2 + 2));

    private static uint HashOf(in MapKey key) => (uint)key.Hash(s_seed, s_factor);

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
