using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// A container of a query, prepared to be met by many others: an array of many ids, and runs, are also kept as a bitmap, because testing a bit for each id
/// of an array costs a third of meeting another array, and counting two bitmaps less than following many runs.
/// </summary>
internal readonly ref struct QueryContainer
{
    /// <summary>With fewer ids than this an array is met as it is: Sets/facets, result of 1 %.</summary>
    private const int FewestForBitmap = 64;

    // In tenths of a nanosecond, against a bitmap: two bitmaps, an id of an array, a run, and what every meeting takes.
    private const int CostOfBitmap = 2000, CostOfId = 6, CostOfRun = 60, CostOfMeeting = 300;

    private readonly ContainerView _container, _bitmap;

    /// <param name="container">The query's.</param>
    /// <param name="meetings">How many others it will meet.</param>
    /// <param name="room">The words of a bitmap; they may hold anything.</param>
    public QueryContainer(in ContainerView container, int meetings, Span<ulong> room)
    {
        _container = _bitmap = container;
        if (container.Kind == ContainerKind.Bitmap || container.Count < FewestForBitmap || meetings == 1) return;
        Bitmap.Expand(room, container);
        _bitmap = new(ref Unsafe.As<ulong, byte>(ref room[0]), ContainerKind.Bitmap, 0, container.Cardinality);
    }

    /// <summary>Whether the query has all ids of the container: a facet's cardinality is its count then.</summary>
    public bool IsFull => _container.IsFull;

    /// <summary>What counting a container against a query's bitmap takes.</summary>
    public static long Cost(in ContainerView other) => CostOfMeeting + other.Kind switch
    {
        ContainerKind.Array => other.Count * CostOfId,
        ContainerKind.Bitmap => CostOfBitmap,
        _ => Math.Min(other.Count * CostOfRun, CostOfBitmap * 3),
    };

    public int Count(in ContainerView other)
    {
        // Against few ids the bitmap is not worth more than the array; against a bitmap the array's own ids are fewer.
        return other.Kind == ContainerKind.Bitmap && _container.Kind == ContainerKind.Array
            ? ContainerCount.Intersection(_container, other)
            : ContainerCount.Intersection(_bitmap, other);
    }
}
