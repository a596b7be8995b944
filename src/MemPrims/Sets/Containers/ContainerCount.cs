namespace MemPrims.Sets;

/// <summary>How many ids two containers share, for every pair of kinds, without making the result.</summary>
internal static class ContainerCount
{
    public static int Intersection(in ContainerView a, in ContainerView b) => (a.Kind, b.Kind) switch
    {
        (ContainerKind.Bitmap, ContainerKind.Bitmap) => BitmapCount.And(ref a.Words, ref b.Words),
        (ContainerKind.Array, ContainerKind.Bitmap) => Bitmap.CountHits(ref b.Words, a.Ids),
        (ContainerKind.Bitmap, ContainerKind.Array) => Bitmap.CountHits(ref a.Words, b.Ids),
        (ContainerKind.Array, ContainerKind.Array) => (int)SortedKernels.Count(a.Ids, b.Ids),
        (ContainerKind.Run, _) => WithRuns(a, b),
        _ => WithRuns(b, a),
    };

    private static int WithRuns(in ContainerView runs, in ContainerView other)
    {
        if (runs.IsFull) return other.Cardinality;
        return other.Kind switch
        {
            ContainerKind.Array => RunKernels.Count(runs.Runs, other.Ids),
            ContainerKind.Bitmap => RunKernels.Count(runs.Runs, ref other.Words),
            _ => RunKernels.Count(runs.Runs, other.Runs),
        };
    }
}
