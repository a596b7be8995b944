namespace MemPrims.Tool.Measure;

// Orders a query and a key. A struct of it makes the search a loop of that routine, without a call by delegate.
public unsafe interface IKeyOrder
{
    // Negative when the query comes first, 0 when both are equal; a key comes before a longer one that starts with it.
    static abstract int Compare(byte* query, int queryLength, byte* key, int keyLength);
}

// Binary searches over sorted keys that lie scattered in memory, as in a page or a skip list: which key is read next depends on the
// result. Three of four queries are present. Redraw draws new keys and new queries, so neither the predictor nor the cache has seen them.
public sealed unsafe class KeySearchWork : IDisposable
{
    // Sorting 500,000 keys takes longer than searching them: they serve a few batches, each with queries of its own.
    private const int ManyKeys = 100_000, BatchesOfManyKeys = 8, LargestGap = 8;

    private readonly KeyShape _shape;
    private readonly int _wanted;
    private readonly Random _random = new();
    private readonly byte* _arena, _queries;
    private readonly Entry* _entries, _asked;
    private readonly ulong[] _order;
    private readonly Entry[] _drawn;
    private int _count, _redrawn;

    // Duplicates that are drawn are left out: there may be fewer keys.
    public KeySearchWork(KeyShape shape, int keys)
    {
        (_shape, _wanted) = (shape, keys);
        Count = 2048;
        _arena = (byte*)NativeMemory.AlignedAlloc((nuint)keys * (KeyShapes.Longest + LargestGap) + 4096, 4096);
        _queries = (byte*)NativeMemory.AlignedAlloc((nuint)Count * (KeyShapes.Longest + LargestGap) + 4096, 4096);
        _entries = (Entry*)NativeMemory.AlignedAlloc((nuint)(keys * sizeof(Entry)), 64);
        _asked = (Entry*)NativeMemory.AlignedAlloc((nuint)(Count * sizeof(Entry)), 64);
        (_order, _drawn) = (new ulong[keys], new Entry[keys]);
        Redraw();
    }

    public int Count { get; }

    public void Redraw()
    {
        if (_wanted < ManyKeys || _redrawn++ % BatchesOfManyKeys == 0) DrawKeys();
        int at = 0;
        for (int i = 0; i < Count; i++)
        {
            at += _random.Next(LargestGap);
            Entry key = _entries[_random.Next(_count)];
            Span<byte> to = new(_queries + at, KeyShapes.Longest);
            if (_random.Next(4) == 0) key.Length = KeyShapes.Draw(_shape, _random, 4 * _wanted, to);
            else Bytes(key).CopyTo(to);
            _asked[i] = new() { Offset = at, Length = key.Length };
            at += key.Length;
        }
    }

    // Searches every query. The number depends on all results.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Run<TOrder>() where TOrder : struct, IKeyOrder
    {
        long sum = 0;
        byte* arena = _arena, queries = _queries;
        Entry* entries = _entries;
        int last = _count - 1;
        for (Entry* asked = _asked, end = asked + Count; asked < end; asked++)
        {
            byte* query = queries + asked->Offset;
            int length = asked->Length, low = 0, high = last;
            while (low <= high)
            {
                int middle = (int)((uint)(low + high) >> 1);
                Entry* entry = entries + middle;
                int order = TOrder.Compare(query, length, arena + entry->Offset, entry->Length);
                if (order == 0)
                {
                    sum++;
                    low = middle;
                    break;
                }
                if (order > 0) low = middle + 1;
                else high = middle - 1;
            }
            sum += (long)low << 16;
        }
        return sum;
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_arena);
        NativeMemory.AlignedFree(_queries);
        NativeMemory.AlignedFree(_entries);
        NativeMemory.AlignedFree(_asked);
    }

    private ReadOnlySpan<byte> Bytes(Entry key) => new(_arena + key.Offset, key.Length);

    // The keys lie in memory in the order in which they were drawn, so a search jumps about.
    private void DrawKeys()
    {
        int shared = KeyShapes.SharedPrefix(_shape), at = 0;
        Span<byte> head = stackalloc byte[sizeof(ulong)];
        for (int i = 0; i < _wanted; i++)
        {
            at += _random.Next(LargestGap);
            Entry key = new() { Offset = at, Length = KeyShapes.Draw(_shape, _random, 4 * _wanted, new(_arena + at, KeyShapes.Longest)) };
            at += key.Length;
            head.Clear();
            Bytes(key)[shared..Math.Min(key.Length, shared + head.Length)].CopyTo(head);
            (_order[i], _drawn[i]) = (BinaryPrimitives.ReadUInt64BigEndian(head), key);
        }
        // By the first 8 bytes that are not shared; those few that have them in common are then put in order one by one.
        Array.Sort(_order, _drawn);
        _count = 0;
        foreach (Entry key in _drawn)
        {
            int place = _count;
            while (place > 0 && Bytes(_entries[place - 1]).SequenceCompareTo(Bytes(key)) > 0) place--;
            if (place > 0 && Bytes(_entries[place - 1]).SequenceEqual(Bytes(key))) continue;
            for (int i = _count; i > place; i--) _entries[i] = _entries[i - 1];
            _entries[place] = key;
            _count++;
        }
    }

    private struct Entry
    {
        public int Offset, Length;
    }
}
