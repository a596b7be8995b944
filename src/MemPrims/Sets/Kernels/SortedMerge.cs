namespace MemPrims.Sets;

/// <summary>
/// Two sorted arrays, merged an id at a time. Both sides move by sums, of which the JIT may make branches. The scalar tier does
/// everything by it. Or and Xor of wider ids, which have no block form, use it on every tier. Each turn moves at least one side, and
/// nothing is written past the destination.
/// </summary>
internal static class SortedMerge
{
    /// <summary>Counts what is in both.</summary>
    public static long Count<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b)
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        nint i = 0, j = 0;
        long count = 0;
        while (i < a.Length && j < b.Length)
        {
            ulong x = Id.Value(Unsafe.Add(ref first, i)), y = Id.Value(Unsafe.Add(ref second, j));
            count += x == y ? 1 : 0;
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
        }
        return count;
    }

    /// <summary>Writes what the operation keeps, and returns how many ids.</summary>
    public static int Write<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        ref T to = ref MemoryMarshal.GetReference(destination);
        nint i = 0, j = 0, written = 0;
        while (i < a.Length && j < b.Length && written < destination.Length)
        {
            T left = Unsafe.Add(ref first, i), right = Unsafe.Add(ref second, j);
            ulong x = Id.Value(left), y = Id.Value(right);
            Unsafe.Add(ref to, written) = TOperation.KeepsRight && y < x ? right : left;
            bool isKept = TOperation.KeepsRight ? TOperation.KeepsBoth || x != y : TOperation.KeepsLeft ? x < y : x == y;
            written += isKept ? 1 : 0;
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
        }
        if (TOperation.KeepsLeft) written += CopyRest(a[(int)i..], destination[(int)written..]);
        return (int)written + (TOperation.KeepsRight ? CopyRest(b[(int)j..], destination[(int)written..]) : 0);
    }

    private static int CopyRest<T>(ReadOnlySpan<T> rest, Span<T> destination)
    {
        rest = rest[..Math.Min(rest.Length, destination.Length)];
        rest.CopyTo(destination);
        return rest.Length;
    }
}
