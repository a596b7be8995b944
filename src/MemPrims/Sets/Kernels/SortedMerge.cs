namespace MemPrims.Sets;

// Or and Xor of two sorted arrays, merged an id at a time. What is taken and how far each side moves are sums and masks, so no branch
// depends on the ids. It is for few ids, and for processors without AVX2, which SortedUnion wants. Each turn moves at least one side, and
// nothing is written past the destination.
internal static class SortedMerge
{
    // Writes what Or or Xor keeps, and returns how many ids.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Write<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        ref T to = ref MemoryMarshal.GetReference(destination);
        nint i = 0, j = 0, written = 0;
        while (i < a.Length && j < b.Length && written < destination.Length)
        {
            ulong x = Id.Value(Unsafe.Add(ref first, i)), y = Id.Value(Unsafe.Add(ref second, j));
            nint takesX = One(x <= y), takesY = One(y <= x);
            Unsafe.Add(ref to, written) = Id.Of<T>(x ^ (x ^ y) & (ulong)-takesY);
            written += TOperation.KeepsBoth ? 1 : One(x != y);
            i += takesX;
            j += takesY;
        }
        written += CopyRest(a[(int)i..], destination[(int)written..]);
        return (int)written + CopyRest(b[(int)j..], destination[(int)written..]);
    }

    // Of a conditional the JIT may make a branch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint One(bool holds) => Unsafe.BitCast<bool, byte>(holds);

    private static int CopyRest<T>(ReadOnlySpan<T> rest, Span<T> destination)
    {
        rest = rest[..Math.Min(rest.Length, destination.Length)];
        rest.CopyTo(destination);
        return rest.Length;
    }
}
