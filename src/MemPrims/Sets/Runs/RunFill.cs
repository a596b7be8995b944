using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>Writes the ids of one run.</summary>
internal static class RunFill
{
    /// <summary>
    /// Fills the destination with <paramref name="first"/> and the ids that follow it. The last vector overlaps the one before it.
    /// </summary>
    public static void Ascending(uint first, Span<uint> to)
    {
        ref uint place = ref MemoryMarshal.GetReference(to);
        int last = to.Length - Vector<uint>.Count;
        if (last < 0)
        {
            for (int i = 0; i < to.Length; i++) Unsafe.Add(ref place, i) = first + (uint)i;
            return;
        }
        Vector<uint> start = Vector.CreateSequence(first, 1u), ids = start, step = new((uint)Vector<uint>.Count);
        for (int at = 0; at < last; at += Vector<uint>.Count, ids += step) ids.StoreUnsafe(ref place, (nuint)at);
        (start + new Vector<uint>((uint)last)).StoreUnsafe(ref place, (nuint)last);
    }
}
