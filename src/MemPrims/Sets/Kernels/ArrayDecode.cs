namespace MemPrims.Sets;

// Widens the ids of an array to those of a set. One vector of 16-bit ids becomes two of 32 bits, or four of 64.
internal static class ArrayDecode
{
    // Writes all ids with `high` above them.
    public static void Write<T>(ReadOnlySpan<ushort> ids, T high, Span<T> destination) where T : unmanaged, IBinaryInteger<T>
    {
        destination = destination[..ids.Length];
        int at = 0;
        if (Unsafe.SizeOf<T>() == sizeof(uint) && Vector.IsHardwareAccelerated && ids.Length >= Vector<ushort>.Count)
        {
            Vector<uint> above = new(uint.CreateTruncating(high));
            ref ushort from = ref MemoryMarshal.GetReference(ids);
            ref uint to = ref Unsafe.As<T, uint>(ref MemoryMarshal.GetReference(destination));
            int last = ids.Length - Vector<ushort>.Count;
            for (; at < last; at += Vector<ushort>.Count) Widen(ref from, ref to, at, above);
            // The last vector begins with ids that were written already.
            Widen(ref from, ref to, last, above);
            return;
        }
        if (Unsafe.SizeOf<T>() == sizeof(uint) && Vector128.IsHardwareAccelerated && ids.Length >= Vector128<ushort>.Count)
        {
            WidenEight(ids, 0, uint.CreateTruncating(high), destination);
            WidenEight(ids, ids.Length - Vector128<ushort>.Count, uint.CreateTruncating(high), destination);
            return;
        }
        for (; at < ids.Length; at++) destination[at] = high | T.CreateTruncating(ids[at]);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void WidenEight<T>(ReadOnlySpan<ushort> ids, int at, uint high, Span<T> destination)
    {
        ref uint to = ref Unsafe.As<T, uint>(ref MemoryMarshal.GetReference(destination));
        Vector128<ushort> eight = Vector128.LoadUnsafe(ref MemoryMarshal.GetReference(ids), (nuint)at);
        (Vector128<uint> low, Vector128<uint> upper) = Vector128.Widen(eight);
        (low | Vector128.Create(high)).StoreUnsafe(ref to, (nuint)at);
        (upper | Vector128.Create(high)).StoreUnsafe(ref to, (nuint)(at + 4));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Widen(ref ushort from, ref uint to, int at, Vector<uint> above)
    {
        Vector.Widen(Vector.LoadUnsafe(ref from, (nuint)at), out Vector<uint> low, out Vector<uint> high);
        (low | above).StoreUnsafe(ref to, (nuint)at);
        (high | above).StoreUnsafe(ref to, (nuint)(at + Vector<uint>.Count));
    }
}
