namespace MemPrims.Sets;

// An id of 16, 32 or 64 bits as a number. The kernels ask nothing of the type of an id, as the precompiler takes a generic method over a
// number only where nothing is asked of it.
internal static class Id
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Value<T>(T id) =>
        Unsafe.SizeOf<T>() == sizeof(ushort) ? Unsafe.BitCast<T, ushort>(id)
        : Unsafe.SizeOf<T>() == sizeof(uint) ? Unsafe.BitCast<T, uint>(id) : Unsafe.BitCast<T, ulong>(id);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T Of<T>(ulong value) =>
        Unsafe.SizeOf<T>() == sizeof(ushort) ? Unsafe.BitCast<ushort, T>((ushort)value)
        : Unsafe.SizeOf<T>() == sizeof(uint) ? Unsafe.BitCast<uint, T>((uint)value) : Unsafe.BitCast<ulong, T>(value);
}

// Chooses how two sorted arrays meet. If one is much shorter, or there are no vectors, ids are searched (SortedSearch). Else the arrays
// meet a block at a time (SortedBlocks<T>). Joined, they are merged (SortedUnion<T>, SortedMerge).
internal static class SortedKernels
{
    // From this ratio of lengths on, a search for each id of the shorter side is faster than blocks (Sets/uneven, 1 k × 16 k to 1 k × 64
    // k).
    private const int UnevenForBlocks = 48;

    // From this ratio on, few ids are put between the many. It is compared with the merge an id at a time.
    private const int UnevenForMerge = 8;

    public static long Count<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b)
    {
        ReadOnlySpan<T> many = a.Length < b.Length ? b : a, few = a.Length < b.Length ? a : b;
        return IsUneven(few.Length, many.Length) ? SortedSearch.CountUneven(few, many) : SortedBlocks<T>.Count(many, few);
    }

    // And, Or, Xor or AndNot of both. The destination takes the largest possible result.
    public static int Combine<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        ReadOnlySpan<T> many = a.Length < b.Length ? b : a, few = a.Length < b.Length ? a : b;
        if (TOperation.KeepsRight)
            return (long)few.Length * UnevenForMerge <= many.Length ? SortedSearch.Splice<T, TOperation>(many, few, destination)
                : TOperation.KeepsBoth && SortedUnion<T>.Takes(few.Length) ? SortedUnion<T>.Write(many, few, destination)
                : SortedMerge.Write<T, TOperation>(many, few, destination);
        if (IsUneven(few.Length, many.Length)) return SortedSearch.SelectUneven<T, TOperation>(a, b, destination);
        return TOperation.KeepsLeft ? SortedBlocks<T>.Select<TOperation>(a, b, destination)
            : SortedBlocks<T>.Select<TOperation>(many, few, destination);
    }

    // The first position whose id is not above the one before it; the length when there is none.
    public static int FirstDisorder<T>(ReadOnlySpan<T> ids)
    {
        ref T first = ref MemoryMarshal.GetReference(ids);
        int at = 0, last = Vector.IsHardwareAccelerated ? ids.Length - Vector<T>.Count : 0;
        while (at < last && Vector.LessThanAll(Vector.LoadUnsafe(ref first, (nuint)at), Vector.LoadUnsafe(ref first, (nuint)at + 1)))
            at += Vector<T>.Count;
        for (at++; at < ids.Length && Id.Value(ids[at - 1]) < Id.Value(ids[at]);) at++;
        return Math.Min(at, ids.Length);
    }

    // Also where blocks are no vectors of 128 or 256 bits: a runtime may have none, or be told to take longer ones.
    public static bool IsUneven(int shorter, int longer) => (long)shorter * UnevenForBlocks <= longer
        || !Vector.IsHardwareAccelerated || Vector<byte>.Count > Vector256<byte>.Count;
}
