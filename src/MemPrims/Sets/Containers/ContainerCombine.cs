using System.Buffers;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// Makes a container of two. Two arrays: their sorted ids. Two of runs: one sweep over their ends. An array whose ids are only thinned out:
/// each of its ids against the other container. All else goes through a bitmap on the stack.
/// </summary>
internal static class ContainerCombine
{
    [SkipLocalsInit]
    public static Container Run<TOperation>(in ContainerView left, in ContainerView right, out int cardinality) where TOperation : struct, IIdOperation
    {
        switch (left.Kind, right.Kind)
        {
            case (ContainerKind.Array, ContainerKind.Array):
                return Arrays<TOperation>(left.Ids, right.Ids, out cardinality);
            case (ContainerKind.Run, ContainerKind.Run):
                return Runs<TOperation>(left.Runs, right.Runs, out cardinality);
            case (ContainerKind.Array, _) when !TOperation.KeepsRight:
                return Thinned(left.Ids, right, TOperation.KeepsBoth, out cardinality);
            case (_, ContainerKind.Array) when !TOperation.KeepsLeft && TOperation.KeepsBoth:
                return Thinned(right.Ids, left, true, out cardinality);
        }
        Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
        Bitmap.Expand(words, left);
        TOperation.Run(ref words[0], right);
        cardinality = BitmapCount.Ones(ref words[0]);
        bool runs = left.Kind == ContainerKind.Run || right.Kind == ContainerKind.Run;
        return cardinality == 0 ? default : ContainerBuild.OfWords(ref words[0], cardinality, runs);
    }

    private static Container Arrays<TOperation>(ReadOnlySpan<ushort> left, ReadOnlySpan<ushort> right, out int cardinality) where TOperation : struct, IIdOperation
    {
        ushort[] room = ArrayPool<ushort>.Shared.Rent(left.Length + right.Length);
        int most = TOperation.KeepsLeft && TOperation.KeepsRight ? left.Length + right.Length
            : TOperation.KeepsLeft ? left.Length : Math.Min(left.Length, right.Length);
        Span<ushort> ids = room.AsSpan(0, TOperation.Run(left, right, room.AsSpan(0, most)));
        cardinality = ids.Length;
        Container result = cardinality <= Container.MaxArray ? Container.OfIds(ids) : ContainerBuild.OfIds(ids);
        ArrayPool<ushort>.Shared.Return(room);
        return result;
    }

    private static Container Thinned(ReadOnlySpan<ushort> ids, in ContainerView other, bool wanted, out int cardinality)
    {
        ushort[] room = ArrayPool<ushort>.Shared.Rent(ids.Length);
        cardinality = other.Kind == ContainerKind.Bitmap
            ? Bitmap.SelectHits(ref other.Words, ids, wanted, room)
            : RunKernels.Select(other.Runs, ids, wanted, room);
        Container result = Container.OfIds(room.AsSpan(0, cardinality));
        ArrayPool<ushort>.Shared.Return(room);
        return result;
    }

    /// <summary>Goes from end to end of the runs of both; between two ends neither side changes, so the operation decides once for all ids there.</summary>
    private static Container Runs<TOperation>(ReadOnlySpan<Run> left, ReadOnlySpan<Run> right, out int cardinality) where TOperation : struct, IIdOperation
    {
        Run[] room = ArrayPool<Run>.Shared.Rent(left.Length + right.Length + 1);
        int count = 0, i = 0, j = 0, at = 0, start = -1;
        cardinality = 0;
        while (i < left.Length || j < right.Length)
        {
            // Each turn goes at least to the next end, or drops a run that unchecked bytes put behind.
            int startA = i < left.Length ? left[i].Start : Container.Universe, startB = j < right.Length ? right[j].Start : Container.Universe;
            bool inA = i < left.Length && startA <= at, inB = j < right.Length && startB <= at;
            int nextA = inA ? left[i].End + 1 : startA, nextB = inB ? right[j].End + 1 : startB, next = Math.Max(at, Math.Min(nextA, nextB));
            bool keep = next > at && (inA ? inB ? TOperation.KeepsBoth : TOperation.KeepsLeft : inB && TOperation.KeepsRight);
            if (next > at && keep != start >= 0)
            {
                if (!keep)
                {
                    room[count++] = new(start, at - 1);
                    cardinality += at - start;
                }
                start = keep ? at : -1;
            }
            at = next;
            if (inA && nextA <= at) i++;
            if (inB && nextB <= at) j++;
        }
        if (start >= 0)
        {
            room[count++] = new(start, at - 1);
            cardinality += at - start;
        }
        Container result = cardinality == 0 ? default : ContainerBuild.OfRuns(room.AsSpan(0, count), cardinality);
        ArrayPool<Run>.Shared.Return(room);
        return result;
    }
}
