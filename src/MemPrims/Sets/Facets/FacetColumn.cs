namespace MemPrims.Sets;

// The values of each document, by number: what people keep as an `int[]` from document to value. A cell holds the ordinal plus one, so 0
// is "no value" and fresh memory is right. A document has Layers cells side by side, for one value each, so all of them lie in one cache
// line. Cells take one, two or four bytes, as the number of values needs. Documents lie in chunks of 65,536; a chunk comes with its first
// value. The first chunks lie one after the other where they can, so that a count finds most cells without a table: those of an image do,
// and those of documents that come about in order.
// Widths and layers never change: Grown makes another column. A chunk that lies in foreign memory (an opened image) is copied before its
// first change. Own chunks are pinned arrays. Whoever holds a Table may read through it, whatever other threads do: it keeps the owners of
// all its chunks, since a chunk that has a place in it never moves to another there.
internal abstract unsafe class FacetColumn(int width, int layers)
{
    // Values in layers; a document with more has the rest in FacetField's extras. Eight cells of a byte are one word.
    public const int MostLayers = 8;

    public const int ChunkDocuments = 1 << ChunkBits;
    protected const int ChunkBits = 16;

    // More bytes than these are not kept in one array of the column's own.
    private const int MostTogether = 1 << 30;

    // Where a chunk lies, and what keeps its memory: an array of the column's own, or somebody else's.
    public readonly struct Chunk(byte* first, object? owner)
    {
        public readonly byte* First = first;
        public readonly object? Owner = owner;

        public bool Exists => First != null;

        public bool IsOwn => Owner is byte[];
    }

    // Documents whose cells lie one after the other, from `start` on. The cells of document 0 would lie at `first`.
    public readonly struct Stretch(byte* first, uint start, uint documents)
    {
        public readonly byte* First = first;
        public readonly uint Documents = documents;
        private readonly uint _start = start;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool Has(uint id) => id - _start < Documents;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool HasFour(uint* ids) => Vector128.IsHardwareAccelerated
            ? Vector128.LessThanAll(Vector128.Load(ids) - Vector128.Create(_start), Vector128.Create(Documents))
            : Has(ids[0]) & Has(ids[1]) & Has(ids[2]) & Has(ids[3]);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool HasEight(uint* ids) => Vector256.IsHardwareAccelerated
            ? Vector256.LessThanAll(Vector256.Load(ids) - Vector256.Create(_start), Vector256.Create(Documents))
            : HasFour(ids) & HasFour(ids + 4);
    }

    // The chunks, by the upper half of the id, and the first ones, as many as lie one after the other.
    public sealed class Table
    {
        private readonly long _chunkBytes;
        public readonly Chunk[] Chunks;
        public readonly int ChunksTogether;
        public readonly Stretch Together;

        public Table(Chunk[] chunks, long chunkBytes)
        {
            (Chunks, _chunkBytes) = (chunks, chunkBytes);
            byte* first = chunks.Length > 0 ? chunks[0].First : null;
            int count = 0;
            while (first != null && count < chunks.Length && chunks[count].First == first + count * chunkBytes) count++;
            ChunksTogether = count;
            Together = new(first, 0, (uint)Math.Min((long)count << ChunkBits, uint.MaxValue));
        }

        // The chunk of a document; null when it has none.
        public byte* ChunkOf(uint id)
        {
            uint key = id >> ChunkBits;
            return key < (uint)Chunks.Length ? Chunks[key].First : null;
        }

        // The chunk of a document, or all that lie together, if it is one of these; no documents when it has none.
        public Stretch StretchOf(uint id)
        {
            byte* chunk = ChunkOf(id);
            long key = id >> ChunkBits;
            return Together.Has(id) ? Together : chunk == null ? default
                : new(chunk - key * _chunkBytes, (uint)(key << ChunkBits), ChunkDocuments);
        }
    }

    // The cells of documents without a chunk: as many as a document can have, without values.
    private static readonly byte[] s_none = GC.AllocateArray<byte>(MostLayers * sizeof(uint), pinned: true);

    private Table _table = new([], 0);

    // The bytes of a cell: 1, 2 or 4.
    public int Width { get; } = width;

    // How many cells a document has.
    public int Layers { get; } = layers;

    // The bytes of a chunk.
    public int ChunkBytes => ChunkDocuments * Width * Layers;

    // The chunks as they are now.
    public Table Places => _table;

    // The bytes that a cell needs for so many values.
    public static int WidthFor(int values) => values <= byte.MaxValue ? 1 : values <= ushort.MaxValue ? 2 : 4;

    // The layers that a column has for so many values of a document.
    public static int LayersFor(int values) => values <= 4 ? values : MostLayers;

    // The ordinal in a cell; -1 for none.
    public int this[uint id, int layer]
    {
        get
        {
            Table table = _table;
            byte* chunk = table.ChunkOf(id);
            if (chunk == null) return -1;
            int ordinal = (int)Load(chunk + Place(id, layer)) - 1;
            GC.KeepAlive(table);
            return ordinal;
        }
        set
        {
            byte* cell = Own((int)(id >> ChunkBits)) + Place(id, layer);
            uint stored = (uint)(value + 1);
            if (Width == 1) *cell = (byte)stored;
            else if (Width == 2) *(ushort*)cell = (ushort)stored;
            else *(uint*)cell = stored;
        }
    }

    // How many cells have a value.
    public long CountValues()
    {
        long count = 0;
        foreach (uint id in Documents())
            for (int layer = 0; layer < Layers; layer++) count += this[id, layer] >= 0 ? 1 : 0;
        return count;
    }

    // Puts the chunks of an image in their places, where they lie one after the other.
    public void Attach(ReadOnlySpan<int> keys, byte* first, object owner)
    {
        Chunk[] chunks = new Chunk[keys.IsEmpty ? 0 : keys[^1] + 1];
        for (int i = 0; i < keys.Length; i++) chunks[keys[i]] = new(first + i * (long)ChunkBytes, owner);
        _table = new(chunks, ChunkBytes);
    }

    // The byte of its image at which a cell lies; -1 in memory of the column's own.
    public long OffsetOf(uint id, int layer)
    {
        Chunk chunk = _table.Chunks[id >> ChunkBits];
        return chunk.Owner is FacetImage.PinnedMemory image ? chunk.First + Place(id, layer) - image.First : -1;
    }

    // The same values in as many layers as the fullest document has values now, at most MostLayers.
    public FacetColumn Narrowed()
    {
        int used = 1;
        foreach (uint id in Documents())
        {
            // The values of a document lie side by side: whether it has more than all before it, one cell tells.
            while (used < Layers && this[id, used] >= 0) used++;
            if (used == Layers) break;
        }
        used = LayersFor(used);
        return used < Layers ? Grown(Width, used) : this;
    }

    // The same values in a column of other cells. Those that have no place there are left out.
    public FacetColumn Grown(int width, int layers)
    {
        FacetColumn grown = Create(width, layers);
        foreach (uint id in Documents())
            for (int layer = 0; layer < Math.Min(Layers, layers); layer++)
                if (this[id, layer] is >= 0 and int ordinal) grown[id, layer] = ordinal;
        return grown;
    }

    // The documents that have places for values.
    private IEnumerable<uint> Documents()
    {
        for (int key = 0; key < _table.Chunks.Length; key++)
            for (uint id = 0; _table.Chunks[key].Exists && id < ChunkDocuments; id++) yield return (uint)key << ChunkBits | id;
    }

    // A column without values.
    public static FacetColumn Create(int width, int layers) => width switch
    {
        1 => Create<byte>(layers),
        2 => Create<ushort>(layers),
        _ => Create<uint>(layers),
    };

    // Adds one to the count of each value of each hit. An ordinal that `counts` has no place for is left out: cells of unchecked bytes, or
    // of another thread's change.
    public abstract void Add(ReadOnlySpan<uint> hits, Span<int> counts);

    private static FacetColumn Create<TCell>(int layers) => layers switch
    {
        1 => new FacetColumn<TCell, OneLayer>(),
        2 => new FacetColumn<TCell, TwoLayers>(),
        3 => new FacetColumn<TCell, ThreeLayers>(),
        4 => new FacetColumn<TCell, FourLayers>(),
        _ => new FacetColumn<TCell, EightLayers>(),
    };

    // The cells of a document, wherever its chunk lies.
    [MethodImpl(MethodImplOptions.NoInlining)]
    protected static byte* CellsOf(Table table, uint id, int bytes)
    {
        byte* chunk = table.ChunkOf(id);
        return chunk == null ? Address(s_none) : chunk + (nint)(id & (ChunkDocuments - 1)) * bytes;
    }

    private nint Place(uint id, int layer) => (nint)((id & (ChunkDocuments - 1)) * Layers + layer) * Width;

    private uint Load(byte* cell) => Width switch { 1 => *cell, 2 => *(ushort*)cell, _ => *(uint*)cell };

    // The chunk, in memory that may be written. What readers may go through is not changed: only a place without a chunk is filled.
    private byte* Own(int key)
    {
        Chunk[] chunks = _table.Chunks;
        Chunk before = key < chunks.Length ? chunks[key] : default;
        if (before.IsOwn) return before.First;
        bool follows = key == _table.ChunksTogether && (key == 0 || chunks[key - 1].IsOwn) && (key + 1L) * ChunkBytes <= MostTogether;
        if (follows || before.First != null || key >= chunks.Length)
        {
            Chunk[] changed = new Chunk[Math.Max(chunks.Length, (int)BitOperations.RoundUpToPowerOf2((uint)key + 1))];
            chunks.CopyTo(changed, 0);
            chunks = changed;
        }
        if (follows) Append(chunks, key);
        else chunks[key] = Allocate(ChunkBytes);
        if (before.First != null) Block.Copy(chunks[key].First, before.First, ChunkBytes);
        if (chunks != _table.Chunks) _table = new(chunks, ChunkBytes);
        return chunks[key].First;
    }

    // Puts a chunk after those that lie together. Where their array is full, they move to one that is longer by a quarter.
    private void Append(Chunk[] chunks, int key)
    {
        Chunk all = key == 0 ? default : chunks[0];
        if (all.Owner is not byte[] room || room.Length < (key + 1L) * ChunkBytes)
        {
            all = Allocate((int)Math.Min((key + key / 4 + 1L) * ChunkBytes, MostTogether));
            if (key > 0) Block.Copy(all.First, chunks[0].First, (nint)key * ChunkBytes);
        }
        for (int i = 0; i <= key; i++) chunks[i] = new(all.First + (nint)i * ChunkBytes, all.Owner);
    }

    private static Chunk Allocate(int bytes)
    {
        byte[] own = GC.AllocateArray<byte>(bytes, pinned: true);
        return new(Address(own), own);
    }

    private static byte* Address(byte[] pinned) => (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(pinned));
}
