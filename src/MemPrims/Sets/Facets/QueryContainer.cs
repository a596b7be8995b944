using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// A container of a query, prepared to be met by many others: when the first of them is an array or runs, an array of many ids, and many
/// runs, are made a bitmap too, because testing a bit for each id of an array takes less than meeting another array, and counting two
/// bitmaps less than following many runs.
/// </summary>
internal ref struct QueryContainer(ContainerView container, Span<ulong> room)
{
    /// <summary>
    /// Fewer ids or runs than this are met as they are. 100 facets of 655 ids a container: 125 ids of a query took 337 µs as an array and
    /// 485 as a bitmap, 250 took 736 and 485.
    /// </summary>
    private const int FewestForBitmap = 160;

    // In tenths of a nanosecond, against a bitmap, from 8, 30 and 100 facets of a million ids: two bitmaps, an id of an array, and what
    // every meeting takes; a run is reasoned.
    private const int CostOfBitmap = 1200, CostOfId = 5, CostOfRun = 60, CostOfMeeting = 300;

    private readonly Span<ulong> _room = room;
    private readonly ContainerView _container = container;
    private bool _expanded;

    /// <summary>Whether the query has all ids of the container: a facet's cardinality is its count then.</summary>
    public readonly bool IsFull => _container.IsFull;

    /// <summary>What counting a container against a query's bitmap takes.</summary>
    public static long Cost(in ContainerView other) => CostOfMeeting + other.Kind switch
    {
        ContainerKind.Array => other.Count * CostOfId,
        ContainerKind.Bitmap => CostOfBitmap,
        _ => Math.Min(other.Count * CostOfRun, CostOfBitmap * 3),
    };

    public int Count(in ContainerView other)
    {
        // Against a bitmap the array's own ids are fewer.
        bool expands = _container.Kind != ContainerKind.Bitmap && _container.Count >= FewestForBitmap
            && (_container.Kind == ContainerKind.Run || other.Kind != ContainerKind.Bitmap);
        if (!expands) return ContainerCount.Intersection(_container, other);
        if (!_expanded) Bitmap.Expand(ref _room[0], _container);
        _expanded = true;
        return ContainerCount.Intersection(
            new(ref Unsafe.As<ulong, byte>(ref _room[0]), ContainerKind.Bitmap, 0, _container.Cardinality), other);
    }
}
