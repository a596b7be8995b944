namespace MemPrims.Sets;

// Counts the values of hits: the hand-written loop `counts[column[hit]]++`, over cells of one width and documents of one number of layers,
// four hits at a time, as long as their cells lie in one stretch. Few hits are counted where the caller wants them. Many are counted in
// tables that take turns, because two hits with the same value in one table would wait for one another, and the tables are added up. What
// cells hold may be any bytes: few hits look at the bounds of the counts, and a table has a power of two of entries, so the cell is
// masked. Nothing outside is written. A cell is a byte, a ushort or a uint. Nothing more is asked of its type: the precompiler
// takes a number only so.
internal sealed unsafe class FacetColumn<TCell, TLayers>() : FacetColumn(Unsafe.SizeOf<TCell>(), TLayers.Count)
    where TLayers : struct, ILayers
{
    // Hits of a turn.
    private const int FewAtOnce = 4, ManyAtOnce = 8;

    // With more entries the tables leave the first-level cache (Sets/facet field, 1,000 values).
    private const int MostEntries = 2048;

    // Tables cost their clearing and adding up: so many hits for each entry at least (Sets/facet field, 1,000 hits).
    private const int HitsPerEntry = 2;

    // Fewer hits have no tables in any case.
    private const int FewestForTables = 256;

    // Two tables of many entries are faster than four, and four of few than two (Sets/facet field, 10 %).
    private static int Tables => Unsafe.SizeOf<TCell>() == 1 ? 4 : 2;

    private static nint CellsBytes
    {
        // Without the mark the JIT calls it in the loops, as it finds them long enough.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Unsafe.SizeOf<TCell>() * TLayers.Count;
    }

    public override void Add(ReadOnlySpan<uint> hits, Span<int> counts)
    {
        Table table = Places;
        uint values = (uint)counts.Length;
        // Pointers: by references the loop took a quarter longer.
        fixed (uint* start = hits)
        fixed (int* to = counts)
        {
            uint* hit = start, end = start + hits.Length;
            if (hits.Length >= FewestForTables && AddMany(table, hit, end, to, counts.Length)) hit = end;
            for (Stretch near = table.Together; hit < end; near = table.StretchOf(*hit))
            {
                hit = AddFew(near, hit, end, to, values);
                // Fewer than four, or four of which one lies elsewhere.
                for (int left = (int)Math.Min(FewAtOnce, end - hit); left > 0; left--)
                {
                    byte* cells = near.Has(*hit) ? near.First + *hit * CellsBytes : CellsOf(table, *hit, (int)CellsBytes);
                    hit++;
                    for (int layer = 0; layer < TLayers.Count; layer++)
                    {
                        uint ordinal = Load(cells + layer * Unsafe.SizeOf<TCell>()) - 1;
                        if (ordinal < values) to[ordinal]++;
                    }
                }
                if (hit >= end) break;
            }
        }
        GC.KeepAlive(table);
    }

    // As far as four hits after one another lie in the stretch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint* AddFew(Stretch near, uint* hit, uint* end, int* counts, uint values)
    {
        for (; hit + FewAtOnce <= end && near.HasFour(hit); hit += FewAtOnce)
        {
            byte* a = near.First + hit[0] * CellsBytes, b = near.First + hit[1] * CellsBytes;
            byte* c = near.First + hit[2] * CellsBytes, d = near.First + hit[3] * CellsBytes;
            for (int layer = 0; layer < TLayers.Count; layer++)
            {
                // All four cells are loaded before the first is counted: a load waits for a store whose place is not known yet.
                int at = layer * Unsafe.SizeOf<TCell>();
                uint one = Load(a + at) - 1, two = Load(b + at) - 1;
                uint three = Load(c + at) - 1, four = Load(d + at) - 1;
                if (one < values) counts[one]++;
                if (two < values) counts[two]++;
                if (three < values) counts[three]++;
                if (four < values) counts[four]++;
            }
        }
        return hit;
    }

    // False when there are too few hits for the tables.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool AddMany(Table table, uint* hit, uint* end, int* counts, int values)
    {
        int entries = (int)BitOperations.RoundUpToPowerOf2((uint)values + 1);
        if (entries > MostEntries || end - hit < HitsPerEntry * entries) return false;
        int[] rented = ArrayPool<int>.Shared.Rent(Tables * entries);
        rented.AsSpan(0, Tables * entries).Clear();
        fixed (int* tables = rented)
        {
            for (Stretch near = table.Together; hit < end; near = table.StretchOf(*hit))
            {
                hit = AddToTables(near, hit, end, tables, entries);
                // Fewer than eight, or eight of which one lies elsewhere.
                for (int left = (int)Math.Min(ManyAtOnce, end - hit); left > 0; left--)
                {
                    byte* cells = CellsOf(table, *hit++, (int)CellsBytes);
                    for (int layer = 0; layer < TLayers.Count; layer++)
                        tables[Load(cells + layer * Unsafe.SizeOf<TCell>()) & (entries - 1)]++;
                }
                if (hit >= end) break;
            }
            for (int of = 0; of < Tables; of++) AddUp(tables + of * entries + 1, counts, values);
        }
        ArrayPool<int>.Shared.Return(rented);
        return true;
    }

    // As far as eight hits after one another lie in the stretch.
    private static uint* AddToTables(Stretch near, uint* hit, uint* end, int* tables, nint entries)
    {
        byte* first = near.First;
        uint mask = (uint)entries - 1;
        int* second = tables + entries, third = Tables == 2 ? tables : second + entries, fourth = Tables == 2 ? second : third + entries;
        for (; hit + ManyAtOnce <= end && near.HasEight(hit); hit += ManyAtOnce)
        {
            AddFour(first, hit, tables, second, third, fourth, mask);
            AddFour(first, hit + FewAtOnce, tables, second, third, fourth, mask);
        }
        return hit;
    }

    private static void AddUp(int* table, int* counts, int values)
    {
        int i = 0;
        for (; Vector256.IsHardwareAccelerated && i <= values - Vector256<int>.Count; i += Vector256<int>.Count)
            (Vector256.Load(counts + i) + Vector256.Load(table + i)).Store(counts + i);
        for (; Vector128.IsHardwareAccelerated && i <= values - Vector128<int>.Count; i += Vector128<int>.Count)
            (Vector128.Load(counts + i) + Vector128.Load(table + i)).Store(counts + i);
        for (; i < values; i++) counts[i] += table[i];
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void AddFour(byte* first, uint* hits, int* tables, int* second, int* third, int* fourth, uint mask)
    {
        byte* a = first + hits[0] * CellsBytes, b = first + hits[1] * CellsBytes;
        byte* c = first + hits[2] * CellsBytes, d = first + hits[3] * CellsBytes;
        for (int layer = 0; layer < TLayers.Count; layer++)
        {
            int at = layer * Unsafe.SizeOf<TCell>();
            uint one = Load(a + at) & mask, two = Load(b + at) & mask;
            uint three = Load(c + at) & mask, four = Load(d + at) & mask;
            tables[one]++;
            second[two]++;
            third[three]++;
            fourth[four]++;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Load(byte* cell) =>
        Unsafe.SizeOf<TCell>() == 1 ? *cell : Unsafe.SizeOf<TCell>() == 2 ? *(ushort*)cell : *(uint*)cell;
}
