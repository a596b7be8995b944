using System.Buffers;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>
/// Counts the values of hits: the hand-written loop <c>counts[column[hit]]++</c>, over cells of one width and documents of one number of
/// layers. Few hits are counted where the caller wants them. Many are counted in four tables in turn, because two hits with the same
/// value in one table would wait for one another, and the tables are added up.
/// </summary>
/// <remarks>
/// The loops are optimised from their first call. What cells hold may be any bytes: few hits look at the bounds of the counts, and a
/// table has a power of two of entries, so the cell is masked. Nothing outside is written.
/// </remarks>
internal sealed unsafe class FacetColumn<TCell, TLayers>() : FacetColumn(TCell.Bytes, TLayers.Count)
    where TCell : struct, ICell
    where TLayers : struct, ILayers
{
    private const int Tables = 4, Eight = 8;

    /// <summary>With more entries the tables leave the first-level cache (Sets/facet field, 1,000 values).</summary>
    private const int MostEntries = 2048;

    /// <summary>Tables cost their clearing and adding up: so many hits for each entry at least (Sets/facet field, 1,000 hits).</summary>
    private const int HitsPerEntry = 2;

    private static nint CellsBytes
    {
        // Without the mark the JIT calls it in the loops, as it finds them long enough.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TCell.Bytes * TLayers.Count;
    }

    public override void Count(ReadOnlySpan<uint> hits, Span<int> counts)
    {
        Chunk[] chunks = Chunks;
        int entries = (int)BitOperations.RoundUpToPowerOf2((uint)counts.Length + 1);
        if (entries > MostEntries || hits.Length < HitsPerEntry * entries) AddFew(chunks, hits, counts);
        else AddMany(chunks, hits, counts, entries);
        GC.KeepAlive(chunks);
    }

    [MethodImpl(Hot.Method)]
    private static void AddFew(Chunk[] chunks, ReadOnlySpan<uint> hits, Span<int> counts)
    {
        ref int count = ref MemoryMarshal.GetReference(counts);
        uint values = (uint)counts.Length;
        foreach (uint id in hits)
        {
            byte* chunk = First(chunks, id);
            if (chunk == null) continue;
            byte* cells = chunk + (nint)(ushort)id * CellsBytes;
            for (int layer = 0; layer < TLayers.Count; layer++)
            {
                uint ordinal = TCell.Load(cells + layer * TCell.Bytes) - 1;
                if (ordinal >= values) continue;
                Unsafe.Add(ref count, ordinal)++;
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AddMany(Chunk[] chunks, ReadOnlySpan<uint> hits, Span<int> counts, int entries)
    {
        int[] rented = ArrayPool<int>.Shared.Rent(Tables * entries);
        rented.AsSpan(0, Tables * entries).Clear();
        fixed (int* tables = rented)
        fixed (uint* ids = hits)
        {
            AddToTables(chunks, ids, hits.Length, tables, entries);
            for (int i = 0; i < counts.Length; i++)
            {
                int* entry = tables + i + 1;
                counts[i] += entry[0] + entry[entries] + (entry[2 * entries] + entry[3 * entries]);
            }
        }
        ArrayPool<int>.Shared.Return(rented);
    }

    // Hits mostly ascend, so eight of them mostly lie in one chunk, which is then looked up once.
    [MethodImpl(Hot.Method)]
    private static void AddToTables(Chunk[] chunks, uint* hits, int count, int* tables, nint entries)
    {
        uint mask = (uint)entries - 1;
        uint* end = hits + count;
        for (; hits + Eight <= end; hits += Eight)
        {
            if (LieInOneChunk(hits))
            {
                byte* chunk = First(chunks, *hits);
                if (chunk == null) continue;
                AddFour(chunk, (ushort*)hits, tables, entries, mask);
                AddFour(chunk, (ushort*)(hits + Tables), tables, entries, mask);
            }
            else
            {
                for (int i = 0; i < Eight; i++) AddOne(chunks, hits[i], tables + (i % Tables) * entries, mask);
            }
        }
        for (; hits < end; hits++) AddOne(chunks, *hits, tables, mask);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool LieInOneChunk(uint* hits)
    {
        if (!Vector256.IsHardwareAccelerated)
        {
            uint differ = 0;
            for (int i = 1; i < Eight; i++) differ |= hits[0] ^ hits[i];
            return differ < ChunkDocuments;
        }
        return Vector256.LessThanAll(Vector256.Load(hits) ^ Vector256.Create(*hits), Vector256.Create((uint)ChunkDocuments));
    }

    // All four cells are loaded before the first is counted: a load waits for a store whose place is not known yet.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void AddFour(byte* chunk, ushort* hits, int* tables, nint entries, uint mask)
    {
        byte* a = chunk + (nint)hits[0] * CellsBytes, b = chunk + (nint)hits[2] * CellsBytes;
        byte* c = chunk + (nint)hits[4] * CellsBytes, d = chunk + (nint)hits[6] * CellsBytes;
        for (int layer = 0; layer < TLayers.Count; layer++)
        {
            int at = layer * TCell.Bytes;
            uint one = TCell.Load(a + at) & mask, two = TCell.Load(b + at) & mask;
            uint three = TCell.Load(c + at) & mask, four = TCell.Load(d + at) & mask;
            tables[one]++;
            (tables + entries)[two]++;
            (tables + 2 * entries)[three]++;
            (tables + 3 * entries)[four]++;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void AddOne(Chunk[] chunks, uint id, int* table, uint mask)
    {
        byte* chunk = First(chunks, id);
        if (chunk == null) return;
        byte* cells = chunk + (nint)(ushort)id * CellsBytes;
        for (int layer = 0; layer < TLayers.Count; layer++) table[TCell.Load(cells + layer * TCell.Bytes) & mask]++;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* First(Chunk[] chunks, uint id)
    {
        uint key = id >> ChunkBits;
        return key < (uint)chunks.Length ? Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(chunks), key).First : null;
    }
}
