namespace MemPrims.Sets;

// Two sorted arrays, merged an id at a time. What is taken and how far each side moves are sums and masks, so no branch depends on the
// ids. The next turn waits for those sums. So long arrays are cut in two parts at one id, and the parts take turns. The scalar tier does
// everything by it, and every tier Xor of wider ids, which has no block form, and Or where SortedUnion wants AVX2. Each turn moves at
// least one side, and nothing is written past the destination.
internal static class SortedMerge
{
    // Shorter arrays are merged in one part.
    private const int FewestForParts = 32;

    // Fewer turns are not counted ahead: the end of a loop is foreseen as little as an id.
    private const int FewestTurns = 24;

    // Counts what is in both.
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

    // Writes what the operation keeps, and returns how many ids.
    public static int Write<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where TOperation : struct, IIdOperation =>
        Math.Min(a.Length, b.Length) < FewestForParts || destination.Length - a.Length < b.Length
            ? WriteOne<T, TOperation>(a, b, destination) : WriteParts<T, TOperation>(a, b, destination);

    // The second part is written where it would begin if no id were left out, and moved down at the end.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int WriteParts<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        ref T to = ref MemoryMarshal.GetReference(destination);
        int cutA = a.Length / 2, cutB = (int)SortedSearch.LowerBound(b, a[cutA]), cut = cutA + cutB;
        nint i = 0, j = 0, written = 0, iHigh = cutA, jHigh = cutB, writtenHigh = cut;
        // No side ends within as many turns as the shortest rest has ids.
        while (Math.Min(Math.Min(cutA - i, cutB - j), Math.Min(a.Length - iHigh, b.Length - jHigh)) is var turns && turns >= FewestTurns)
            for (; turns > 0; turns--)
            {
                Turn<T, TOperation>(ref first, ref second, ref to, ref i, ref j, ref written);
                Turn<T, TOperation>(ref first, ref second, ref to, ref iHigh, ref jHigh, ref writtenHigh);
            }
        while (i < cutA & j < cutB & iHigh < a.Length & jHigh < b.Length)
        {
            Turn<T, TOperation>(ref first, ref second, ref to, ref i, ref j, ref written);
            Turn<T, TOperation>(ref first, ref second, ref to, ref iHigh, ref jHigh, ref writtenHigh);
        }
        written += WriteOne<T, TOperation>(a[(int)i..cutA], b[(int)j..cutB], destination[(int)written..cut]);
        writtenHigh += WriteOne<T, TOperation>(a[(int)iHigh..], b[(int)jHigh..], destination[(int)writtenHigh..]);
        destination[cut..(int)writtenHigh].CopyTo(destination[(int)written..]);
        return (int)(written + writtenHigh - cut);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int WriteOne<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        ref T to = ref MemoryMarshal.GetReference(destination);
        nint i = 0, j = 0, written = 0;
        while (i < a.Length && j < b.Length && written < destination.Length)
            Turn<T, TOperation>(ref first, ref second, ref to, ref i, ref j, ref written);
        if (TOperation.KeepsLeft) written += CopyRest(a[(int)i..], destination[(int)written..]);
        return (int)written + (TOperation.KeepsRight ? CopyRest(b[(int)j..], destination[(int)written..]) : 0);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Turn<T, TOperation>(ref T first, ref T second, ref T to, ref nint i, ref nint j, ref nint written)
        where TOperation : struct, IIdOperation
    {
        ulong x = Id.Value(Unsafe.Add(ref first, i)), y = Id.Value(Unsafe.Add(ref second, j));
        nint takesX = One(x <= y), takesY = One(y <= x);
        Unsafe.Add(ref to, written) = Id.Of<T>(TOperation.KeepsRight ? x ^ (x ^ y) & (ulong)-takesY : x);
        written += TOperation.KeepsRight ? TOperation.KeepsBoth ? 1 : One(x != y)
            : TOperation.KeepsLeft ? One(x < y) : takesX & takesY;
        i += takesX;
        j += takesY;
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
