using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Adds up the counts of one query. Ordinals of one byte are counted in tables on the stack of the caller. The tables stay open while the
/// containers number their facets alike and all add or all subtract, so a query mostly clears them and sums them up once. Few ids, and
/// wide ordinals, go straight into the counts.
/// </summary>
/// <param name="counts">One for each facet of the index.</param>
/// <param name="tables">Room for the tables; it may hold anything.</param>
/// <param name="ids">How many ids are asked for.</param>
internal ref struct FacetTally(Span<long> counts, Span<int> tables, long ids)
{
    /// <summary>Neighbours are counted in different tables: two equal ordinals in one table would wait for one another.</summary>
    public const int Tables = 4, TableSize = 256;

    /// <summary>The integers in all tables.</summary>
    public const int TotalSize = Tables * TableSize;

    /// <summary>
    /// With fewer ids, clearing the tables and summing them up would take longer than counting one by one (Sets/facets by array, 100
    /// documents).
    /// </summary>
    private const int FewestForTables = 192;

    private readonly Span<int> _tables = tables[..TotalSize];
    private readonly long _ids = ids;

    // The facets of the ordinals in the open tables; null when none are open.
    private int[]? _facets;
    private int _sign, _most;

    /// <summary>The counts, without what is in open tables.</summary>
    public readonly Span<long> Counts { get; } = counts;

    /// <summary>
    /// Whether tables are worth opening for so many ids: those of the container, unless all containers can count in the same tables.
    /// </summary>
    public readonly bool UsesTables(int[] facets, int ids) => (facets.Length == Counts.Length ? _ids : ids) >= FewestForTables;

    /// <summary>Tables for at most so many ordinals of these facets, each to be counted by <paramref name="sign"/>.</summary>
    public Span<int> Open(int[] facets, int sign, int ordinals)
    {
        // No counter in a table may pass 2^31.
        if (_facets != facets || _sign != sign || _most > int.MaxValue - ordinals)
        {
            Close();
            _tables.Clear();
            (_facets, _sign, _most) = (facets, sign, 0);
        }
        _most += ordinals;
        return _tables;
    }

    /// <summary>Adds what is in open tables to the counts.</summary>
    public void Close()
    {
        if (_facets is not { } facets) return;
        ref int table = ref MemoryMarshal.GetReference(_tables);
        for (nuint i = 0; i < TableSize; i += (nuint)Vector<int>.Count)
        {
            Vector<int> sum = Vector.LoadUnsafe(ref table, i) + Vector.LoadUnsafe(ref table, TableSize + i)
                + (Vector.LoadUnsafe(ref table, 2 * TableSize + i) + Vector.LoadUnsafe(ref table, 3 * TableSize + i));
            sum.StoreUnsafe(ref table, i);
        }
        // The ordinal after the last one is for ids without a facet.
        for (int i = 0; i < facets.Length; i++) Counts[facets[i]] += _sign * (long)Unsafe.Add(ref table, i);
        _facets = null;
    }
}
