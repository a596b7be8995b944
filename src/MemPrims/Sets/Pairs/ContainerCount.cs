using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>How many ids two containers share, for every pair of kinds, without making the result.</summary>
internal static class ContainerCount
{
    // Views are passed by value. By reference, the caller would keep them in memory, which slows even the meeting of small arrays.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Intersection(ContainerView a, ContainerView b) =>
        (a.Kind | b.Kind) == ContainerKind.Array ? Arrays(a.Ids, b.Ids)
        : (a.Kind, b.Kind) == (ContainerKind.Array, ContainerKind.Bitmap) ? Bitmap.CountHits(ref b.Words, a.Ids)
        : (a.Kind & b.Kind) == ContainerKind.Run && !(a.IsFull | b.IsFull) ? RunKernels.Count(a.Runs, b.Runs)
        : OtherKinds(a, b);

    private static int Arrays(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b)
    {
        ReadOnlySpan<ushort> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        if (ArrayMeeting512.IsSupported && few.Length <= ArrayMeeting512.MostFew
            && many.Length <= ArrayMeeting512.MostMany) return ArrayMeeting512.CountFew(few, many);
        if (ArrayMeeting256.IsSupported && few.Length <= ArrayMeeting512.MostFew
            && many.Length <= ArrayMeeting256.MostMany) return ArrayMeeting256.CountFew(few, many);
        return few.Length <= FewIds.Most ? FewIds.Count(few, many) : (int)SortedKernels.Count(few, many);
    }

    private static int OtherKinds(ContainerView a, ContainerView b) => (a.Kind, b.Kind) switch
    {
        (ContainerKind.Bitmap, ContainerKind.Bitmap) => BitmapPass.CountAnd(ref a.Words, ref b.Words),
        (ContainerKind.Bitmap, ContainerKind.Array) => Bitmap.CountHits(ref a.Words, b.Ids),
        (ContainerKind.Run, _) => WithRuns(a, b),
        _ => WithRuns(b, a),
    };

    private static int WithRuns(ContainerView runs, ContainerView other) =>
        runs.IsFull ? other.Cardinality
        : other.IsFull ? runs.Cardinality
        : other.Kind == ContainerKind.Array ? ArrayAndRuns.Count(other.Ids, runs.Runs) : BitmapRuns.CountIn(ref other.Words, runs.Runs);
}
