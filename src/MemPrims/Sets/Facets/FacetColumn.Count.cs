using System.Buffers;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>
/// Counts the values of hits: the hand-written loop <c>counts[column[hit]]++</c>, over cells of one width and documents of one number of
/// layers, four hits at a time. Few hits are counted where the caller wants them. Many are counted in tables that take turns, because two
/// hits with the same value in one table would wait for one another, and the tables are added up.
/// </summary>
/// <remarks>
/// The loops are optimised from their first call. What cells hold may be any bytes: few hits look at the bounds of the counts, and a
/// table has a power of two of entries, so the cell is masked. Nothing outside is written.
/// </remarks>
internal sealed unsafe class FacetColumn<TCell, TLayers>() : FacetColumn(TCell.Bytes, TLayers.Count)
    where TCell : struct, ICell
    where TLayers : struct, ILayers
{
    private const int Four = 4, Eight = 8;

    /// <summary>With more entries the tables leave the first-level cache (Sets/facet field, 1,000 values).</summary>
    private const int MostEntries = 2048;

    /// <summary>Tables cost their clearing and adding up: so many hits for each entry at least (Sets/facet field, 1,000 hits).</summary>
    private const int HitsPerEntry = 2;

    /// <summary>Fewer hits have no tables in any case.</summary>
    private const int FewestForTables = 256;

    /// <summary>Two tables of many entries are faster than four, and four of few than two (Sets/facet field, 10 %).</summary>
    private static int Tables => TCell.Bytes == 1 ? 4 : 2;

    private static nint CellsBytes
    {
        // Without the mark the JIT calls it in the loops, as it finds them long enough.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TCell.Bytes * TLayers.Count;
    }

    [MethodImpl(Hot.Method)]
    public override void Add(ReadOnlySpan<uint> hits, Span<int> counts)
    {
        Table table = Places;
        if (hits.Length >= FewestForTables && AddMany(table, hits, counts)) return;
        byte* first = table.First;
        uint documents = table.Documents, values = (uint)counts.Length;
        // Pointers: by references the loop took a quarter longer.
        fixed (uint* start = hits)
        fixed (int* to = counts)
        {
            uint* hit = start, end = start + hits.Length;
            for (; hit + Four <= end; hit += Four)
            {
                byte* a = Cells(table, first, documents, hit[0]), b = Cells(table, first, documents, hit[1]);
                byte* c = Cells(table, first, documents, hit[2]), d = Cells(table, first, documents, hit[3]);
                for (int layer = 0; layer < TLayers.Count; layer++)
                {
                    // All four cells are loaded before the first is counted: a load waits for a store whose place is not known yet.
                    int at = layer * TCell.Bytes;
                    uint one = TCell.Load(a + at) - 1, two = TCell.Load(b + at) - 1;
                    uint three = TCell.Load(c + at) - 1, four = TCell.Load(d + at) - 1;
                    if (one < values) to[one]++;
                    if (two < values) to[two]++;
                    if (three < values) to[three]++;
                    if (four < values) to[four]++;
                }
            }
            for (; hit < end; hit++)
            {
                byte* cells = Cells(table, first, documents, *hit);
                for (int layer = 0; layer < TLayers.Count; layer++)
                {
                    uint ordinal = TCell.Load(cells + layer * TCell.Bytes) - 1;
                    if (ordinal < values) to[ordinal]++;
                }
            }
        }
        GC.KeepAlive(table);
    }

    // False when there are too few hits for the tables.
    [MethodImpl(MethodImplOptions.NoInlining | Hot.Method)]
    private static bool AddMany(Table table, ReadOnlySpan<uint> hits, Span<int> counts)
    {
        int entries = (int)BitOperations.RoundUpToPowerOf2((uint)counts.Length + 1);
        if (entries > MostEntries || hits.Length < HitsPerEntry * entries) return false;
        int[] rented = ArrayPool<int>.Shared.Rent(Tables * entries);
        rented.AsSpan(0, Tables * entries).Clear();
        fixed (int* tables = rented)
        fixed (uint* ids = hits)
        {
            AddToTables(table, ids, hits.Length, tables, entries);
            for (int i = 0; i < counts.Length; i++)
                for (int of = 0; of < Tables; of++) counts[i] += tables[of * entries + i + 1];
        }
        GC.KeepAlive(table);
        ArrayPool<int>.Shared.Return(rented);
        return true;
    }

    [MethodImpl(Hot.Method)]
    private static void AddToTables(Table table, uint* hits, int count, int* tables, nint entries)
    {
        byte* first = table.First;
        uint documents = table.Documents, mask = (uint)entries - 1;
        int* second = tables + entries, third = Tables == 2 ? tables : second + entries, fourth = Tables == 2 ? second : third + entries;
        uint* end = hits + count;
        for (; hits + Eight <= end; hits += Eight)
        {
            if (AreBelow(hits, documents))
            {
                AddFour(first, hits, tables, second, third, fourth, mask);
                AddFour(first, hits + Four, tables, second, third, fourth, mask);
            }
            else
            {
                for (int i = 0; i < Eight; i++) AddOne(Cells(table, first, documents, hits[i]), tables, mask);
            }
        }
        for (; hits < end; hits++) AddOne(Cells(table, first, documents, *hits), tables, mask);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool AreBelow(uint* hits, uint documents)
    {
        if (Vector256.IsHardwareAccelerated) return Vector256.LessThanAll(Vector256.Load(hits), Vector256.Create(documents));
        bool areBelow = true;
        for (int i = 0; i < Eight; i++) areBelow &= hits[i] < documents;
        return areBelow;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void AddFour(byte* first, uint* hits, int* tables, int* second, int* third, int* fourth, uint mask)
    {
        byte* a = first + hits[0] * CellsBytes, b = first + hits[1] * CellsBytes;
        byte* c = first + hits[2] * CellsBytes, d = first + hits[3] * CellsBytes;
        for (int layer = 0; layer < TLayers.Count; layer++)
        {
            int at = layer * TCell.Bytes;
            uint one = TCell.Load(a + at) & mask, two = TCell.Load(b + at) & mask;
            uint three = TCell.Load(c + at) & mask, four = TCell.Load(d + at) & mask;
            tables[one]++;
            second[two]++;
            third[three]++;
            fourth[four]++;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void AddOne(byte* cells, int* counts, uint mask)
    {
        for (int layer = 0; layer < TLayers.Count; layer++) counts[TCell.Load(cells + layer * TCell.Bytes) & mask]++;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* Cells(Table table, byte* first, uint documents, uint id) =>
        id < documents ? first + id * CellsBytes : CellsOf(table, id, (int)CellsBytes);
}

/// <summary>How a cell is read.</summary>
internal unsafe interface ICell
{
    static abstract int Bytes { get; }

    static abstract uint Load(byte* cell);
}

internal readonly unsafe struct OneByte : ICell
{
    public static int Bytes => 1;

    public static uint Load(byte* cell) => *cell;
}

internal readonly unsafe struct TwoBytes : ICell
{
    public static int Bytes => 2;

    public static uint Load(byte* cell) => *(ushort*)cell;
}

internal readonly unsafe struct FourBytes : ICell
{
    public static int Bytes => 4;

    public static uint Load(byte* cell) => *(uint*)cell;
}

/// <summary>How many cells a document has.</summary>
internal interface ILayers
{
    static abstract int Count { get; }
}

internal readonly struct OneLayer : ILayers
{
    public static int Count => 1;
}

internal readonly struct TwoLayers : ILayers
{
    public static int Count => 2;
}

internal readonly struct ThreeLayers : ILayers
{
    public static int Count => 3;
}

internal readonly struct FourLayers : ILayers
{
    public static int Count => 4;
}

internal readonly struct EightLayers : ILayers
{
    public static int Count => 8;
}
