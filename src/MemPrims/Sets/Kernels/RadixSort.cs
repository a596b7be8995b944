namespace MemPrims.Sets;

// Sorts ids by one byte after the other, the lowest first, and drops what is there twice. Bytes that all ids share are left out: ids below
// 2^24 take three passes. Each pass is a loop without a branch that a predictor could miss, where comparing sorts miss half of theirs.
internal static class RadixSort
{
    private const int Digits = 256, DigitBits = 8;

    // Below, the tables of 256 counts cost more than comparisons do.
    private const int Fewest = 128;

    // How many different ids there are; they stand at the beginning.
    public static int Sort<T>(Span<T> ids) where T : unmanaged, IBinaryInteger<T>
    {
        if (ids.Length < Fewest) ids.Sort();
        else
        {
            T[] rented = ArrayPool<T>.Shared.Rent(ids.Length);
            SortByDigits(ids, rented.AsSpan(0, ids.Length));
            ArrayPool<T>.Shared.Return(rented);
        }
        return DropRepeated(ids);
    }

    private static void SortByDigits<T>(Span<T> ids, Span<T> other) where T : unmanaged, IBinaryInteger<T>
    {
        T first = ids[0], different = T.Zero;
        foreach (T id in ids) different |= id ^ first;
        Span<int> places = stackalloc int[Digits];
        Span<T> from = ids, to = other;
        for (int shift = 0; shift < Unsafe.SizeOf<T>() * DigitBits; shift += DigitBits)
        {
            if (Digit(different, shift) == 0) continue;
            places.Clear();
            foreach (T id in from) places[Digit(id, shift)]++;
            int place = 0;
            foreach (ref int one in places) (one, place) = (place, place + one);
            // The bound is checked: ids that another thread changes meanwhile are not those that were counted.
            foreach (T id in from) to[places[Digit(id, shift)]++] = id;
            Span<T> sorted = to;
            to = from;
            from = sorted;
        }
        if (!Unsafe.AreSame(ref MemoryMarshal.GetReference(from), ref MemoryMarshal.GetReference(ids))) from.CopyTo(ids);
    }

    private static int DropRepeated<T>(Span<T> ids) where T : unmanaged, IBinaryInteger<T>
    {
        if (ids.IsEmpty) return 0;
        int count = 1;
        T last = ids[0];
        for (int i = 1; i < ids.Length; i++)
        {
            T id = ids[i];
            ids[count] = id;
            count += id != last ? 1 : 0;
            last = id;
        }
        return count;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Digit<T>(T id, int shift) where T : unmanaged, IBinaryInteger<T> => byte.CreateTruncating(id >>> shift);
}
