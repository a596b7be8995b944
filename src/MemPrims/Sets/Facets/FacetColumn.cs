using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// The values of each document, by number: what people keep as an <c>int[]</c> from document to value. A cell holds the ordinal plus one,
/// so 0 is "no value" and fresh memory is right. A document has <see cref="Layers"/> cells side by side, for one value each, so all of
/// them lie in one cache line. Cells take one, two or four bytes, as the number of values needs. Documents lie in chunks of 65,536; a
/// chunk comes with its first value.
/// </summary>
/// <remarks>
/// Widths and layers never change: <see cref="Grown"/> makes another column. A chunk that lies in foreign memory (an opened image) is
/// copied before its first change. Own chunks are pinned arrays, and each chunk's owner stands beside its address. So whoever holds the
/// table of chunks may read through it, whatever other threads do.
/// </remarks>
internal abstract unsafe class FacetColumn(int width, int layers)
{
    /// <summary>
    /// Values in layers; a document with more has the rest in <see cref="FacetField"/>'s extras. Eight cells of a byte are one word.
    /// </summary>
    public const int MostLayers = 8;

    public const int ChunkDocuments = 1 << ChunkBits;
    protected const int ChunkBits = 16;

    /// <summary>Where a chunk lies, and what keeps its memory: an array of the column's own, or somebody else's.</summary>
    public readonly struct Chunk(byte* first, object? owner)
    {
        public readonly byte* First = first;
        public readonly object? Owner = owner;

        public bool IsOwn => Owner is byte[];
    }

    private Chunk[] _chunks = [];

    /// <summary>The bytes of a cell: 1, 2 or 4.</summary>
    public int Width { get; } = width;

    /// <summary>How many cells a document has.</summary>
    public int Layers { get; } = layers;

    /// <summary>The bytes of a chunk.</summary>
    public int ChunkBytes => ChunkDocuments * Width * Layers;

    /// <summary>By the upper half of the id; an address of null where no document has a value.</summary>
    public Chunk[] Chunks => _chunks;

    /// <summary>The bytes that a cell needs for so many values.</summary>
    public static int WidthFor(int values) => values <= byte.MaxValue ? 1 : values <= ushort.MaxValue ? 2 : 4;

    /// <summary>The ordinal in a cell; -1 for none.</summary>
    public int this[uint id, int layer]
    {
        get
        {
            Chunk[] chunks = _chunks;
            uint key = id >> ChunkBits;
            if (key >= (uint)chunks.Length || chunks[key].First == null) return -1;
            int ordinal = (int)Load(chunks[key].First + Place(id, layer)) - 1;
            GC.KeepAlive(chunks);
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

    /// <summary>How many cells have a value.</summary>
    public long CountValues()
    {
        Chunk[] chunks = _chunks;
        long count = 0;
        foreach (Chunk chunk in chunks)
        {
            if (chunk.First == null) continue;
            int cells = ChunkDocuments * Layers;
            count += cells - Width switch
            {
                1 => new ReadOnlySpan<byte>(chunk.First, cells).Count((byte)0),
                2 => new ReadOnlySpan<ushort>(chunk.First, cells).Count((ushort)0),
                _ => new ReadOnlySpan<uint>(chunk.First, cells).Count(0u),
            };
        }
        GC.KeepAlive(chunks);
        return count;
    }

    /// <summary>Puts a chunk of an image in its place.</summary>
    public void Attach(int key, byte* first, object owner) => Room(key)[key] = new(first, owner);

    /// <summary>The same values in a column of other cells.</summary>
    public FacetColumn Grown(int width, int layers)
    {
        FacetColumn grown = Create(width, layers);
        for (int key = 0; key < _chunks.Length; key++)
        {
            if (_chunks[key].First == null) continue;
            uint first = (uint)key << ChunkBits;
            for (uint id = 0; id < ChunkDocuments; id++)
                for (int layer = 0; layer < Layers; layer++)
                    if (this[first + id, layer] is >= 0 and int ordinal) grown[first + id, layer] = ordinal;
        }
        return grown;
    }

    /// <summary>A column without values.</summary>
    public static FacetColumn Create(int width, int layers) => width switch
    {
        1 => Create<OneByte>(layers),
        2 => Create<TwoBytes>(layers),
        _ => Create<FourBytes>(layers),
    };

    /// <summary>
    /// Adds one to the count of each value of each hit. An ordinal that <paramref name="counts"/> has no place for is left out: cells of
    /// unchecked bytes, or of another thread's change.
    /// </summary>
    public abstract void Count(ReadOnlySpan<uint> hits, Span<int> counts);

    private static FacetColumn Create<TCell>(int layers) where TCell : struct, ICell => layers switch
    {
        1 => new FacetColumn<TCell, OneLayer>(),
        2 => new FacetColumn<TCell, TwoLayers>(),
        3 => new FacetColumn<TCell, ThreeLayers>(),
        4 => new FacetColumn<TCell, FourLayers>(),
        _ => new FacetColumn<TCell, EightLayers>(),
    };

    private nint Place(uint id, int layer) => (nint)((id & (ChunkDocuments - 1)) * Layers + layer) * Width;

    private uint Load(byte* cell) => Width switch { 1 => *cell, 2 => *(ushort*)cell, _ => *(uint*)cell };

    // The chunk, in memory that may be written.
    private byte* Own(int key)
    {
        ref Chunk chunk = ref Room(key)[key];
        if (chunk.IsOwn) return chunk.First;
        byte[] own = GC.AllocateArray<byte>(ChunkBytes, pinned: true);
        byte* first = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(own));
        if (chunk.First != null) Block.Copy(first, chunk.First, ChunkBytes);
        chunk = new(first, own);
        return first;
    }

    private Chunk[] Room(int key)
    {
        if (key >= _chunks.Length) Array.Resize(ref _chunks, (int)BitOperations.RoundUpToPowerOf2((uint)key + 1));
        return _chunks;
    }
}
