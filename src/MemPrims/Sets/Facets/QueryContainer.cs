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

    private readonly ContainerView _container, _bitmap;

    public QueryContainer(ContainerView container, Span<ulong> room)
    {
        _container = _bitmap = container;
        if (container.Kind == ContainerKind.Bitmap || container.Count < FewestForBitmap) return;
        Bitmap.Expand(room, container);
        _bitmap = new(ref Unsafe.As<ulong, byte>(ref room[0]), ContainerKind.Bitmap, 0, container.Cardinality);
    }

    /// <summary>Whether the query has all ids of the container: a facet's cardinality is its count then.</summary>
    public bool IsFull => _container.IsFull;

    public int Count(in ContainerView other)
    {
        // Against few ids the bitmap is not worth more than the array; against a bitmap the array's own ids are fewer.
        return other.Kind == ContainerKind.Bitmap && _container.Kind == ContainerKind.Array
            ? ContainerCount.Intersection(_container, other)
            : ContainerCount.Intersection(_bitmap, other);
    }
}
