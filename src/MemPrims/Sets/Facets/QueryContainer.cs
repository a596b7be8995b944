using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// A container of a query, which meets the containers of many facets. An array of many ids, or many runs, becomes a bitmap at the first
/// meeting where that pays: testing a bit for each id is faster than meeting another array, and counting two bitmaps is faster than
/// following many runs.
/// </summary>
internal ref struct QueryContainer(ContainerView container, Span<ulong> room)
{
    /// <summary>
    /// With fewer ids or runs than this no bitmap is made. For 100 facets of 655 ids a container, a query of 125 ids took 337 µs as an
    /// array and 485 as a bitmap; 250 ids took 736 and 485.
    /// </summary>
    private const int FewestForBitmap = 160;

    // Tenths of a nanosecond for a meeting with a bitmap, from 8, 30 and 100 facets of a million ids: another bitmap, each id of an
    // array, and every meeting besides. That of a run is reasoned.
    private const int CostOfBitmap = 1200, CostOfId = 5, CostOfRun = 60, CostOfMeeting = 300;

    private readonly Span<ulong> _room = room;
    private readonly ContainerView _container = container;
    private bool _expanded;

    /// <summary>Whether the query has all ids of the container. Then the count of a facet is its cardinality.</summary>
    public readonly bool IsFull => _container.IsFull;

    /// <summary>The time that counting another container takes once the query is a bitmap.</summary>
    public static long Cost(in ContainerView other) => CostOfMeeting + other.Kind switch
    {
        ContainerKind.Array => other.Count * CostOfId,
        ContainerKind.Bitmap => CostOfBitmap,
        _ => Math.Min(other.Count * CostOfRun, CostOfBitmap * 3),
    };

    public int Count(in ContainerView other)
    {
        // Looking up the ids of the array in the bitmap of the other side is faster.
        bool expands = _container.Kind != ContainerKind.Bitmap && _container.Count >= FewestForBitmap
            && (_container.Kind == ContainerKind.Run || other.Kind != ContainerKind.Bitmap);
        if (!expands) return PairTable.Count(_container, other);
        if (!_expanded) Bitmap.Expand(ref _room[0], _container);
        _expanded = true;
        return PairTable.Count(
            new(ref Unsafe.As<ulong, byte>(ref _room[0]), ContainerKind.Bitmap, 0, _container.Cardinality), other);
    }
}
