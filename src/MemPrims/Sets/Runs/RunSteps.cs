using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>Combines runs an edge at a time: the tiers below AVX-512, for few runs. Between two edges neither side changes, so the operation decides once.</summary>
internal static class RunSteps
{
    /// <summary>Writes the edges of the result and returns how many; the destination takes those of both sides.</summary>
    public static int Combine<TOperation>(ReadOnlySpan<Run> left, ReadOnlySpan<Run> right, ref ushort edges) where TOperation : struct, IIdOperation
    {
        int count = 0, i = 0, j = 0, at = 0;
        bool keeps = false;
        while (i < left.Length || j < right.Length)
        {
            // Each turn goes at least to the next edge, or drops a run that unchecked bytes put behind.
            int startA = i < left.Length ? left[i].Start : Container.Universe, startB = j < right.Length ? right[j].Start : Container.Universe;
            bool inA = i < left.Length && startA <= at, inB = j < right.Length && startB <= at;
            int nextA = inA ? left[i].End + 1 : startA, nextB = inB ? right[j].End + 1 : startB, next = Math.Max(at, Math.Min(nextA, nextB));
            bool keep = inA ? inB ? TOperation.KeepsBoth : TOperation.KeepsLeft : inB && TOperation.KeepsRight;
            if (next > at && keep != keeps)
            {
                Unsafe.Add(ref edges, count++) = (ushort)at;
                keeps = keep;
            }
            at = next;
            if (inA && nextA <= at) i++;
            if (inB && nextB <= at) j++;
        }
        if (keeps) Unsafe.Add(ref edges, count++) = (ushort)at;
        return count;
    }
}
