namespace MemPrims.Sets;

// Finds ids in the array of a container. The value of an id says where it lies if the ids are spread evenly. So a window around that place
// is compared first, with loads that do not wait for one another. A search follows only if the window proves wrong.
internal static class ArraySearch
{
    // The window covers several standard deviations of the place of an evenly spread id, which are at most 13 places among 654 ids and 32
    // among 4096. The narrow one takes 0.91 of the wide one's time among 1024 ids, and 0.96 among 2048, where it misses more of them
    // (Zen 4; Sets/thresholds, one of many).
    private const int Narrow = 64, Wide = 128, LongestForNarrow = 1024, Ways = 8;

    // How many of the ids are at or below `id`.
    public static int UpTo(ReadOnlySpan<ushort> ids, ushort id)
    {
        if (!HasVector(ids)) return id == ushort.MaxValue ? ids.Length : (int)SortedSearch.LowerBound(ids, (ushort)(id + 1));
        int start = WindowOf(ids, id, out int size), last = size - Vector<ushort>.Count, at = 0;
        ref ushort first = ref Unsafe.Add(ref MemoryMarshal.GetReference(ids), start);
        Vector<ushort> wanted = new(id), count = Vector<ushort>.Zero;
        for (; at < last; at += Vector<ushort>.Count)
            count -= Vector.LessThanOrEqual(Vector.LoadUnsafe(ref first, (nuint)at), wanted);
        // The last vector begins with ids that were counted already.
        Vector<ushort> isNew = Vector.GreaterThanOrEqual(Vector<ushort>.Indices, new Vector<ushort>((ushort)(at - last)));
        count -= Vector.LessThanOrEqual(Vector.LoadUnsafe(ref first, (nuint)last), wanted) & isNew;
        return start + Vector.Sum(count);
    }

    public static bool Contains(ReadOnlySpan<ushort> ids, ushort id) => Count(new(in id), ids) != 0;

    // How many of the few are among the many.
    public static int Count(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many)
    {
        if (!HasVector(many)) return (int)SortedSearch.CountUneven(few, many);
        int count = 0;
        foreach (ushort id in few) count += Holds(many, id);
        return count;
    }

    // Writes the few that are among the many, or that are not, and returns how many. The destination takes all of them.
    public static int Select<TOperation>(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        if (!HasVector(many))
            return SortedSearch.SelectUneven<ushort, TOperation>(few, many, MemoryMarshal.CreateSpan(ref to, few.Length));
        int written = 0, flip = TOperation.KeepsBoth ? 0 : 1;
        foreach (ushort id in few)
        {
            Unsafe.Add(ref to, written) = id;
            written += Holds(many, id) ^ flip;
        }
        return written;
    }

    // Whether there are as many ids as a vector compares.
    private static bool HasVector(ReadOnlySpan<ushort> ids) => Vector.IsHardwareAccelerated && ids.Length >= Vector<ushort>.Count;

    // 1 when `id` is among the ids, else 0. There must be at least as many ids as a vector compares.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Holds(ReadOnlySpan<ushort> ids, ushort id)
    {
        ref ushort first = ref Unsafe.Add(ref MemoryMarshal.GetReference(ids), WindowOf(ids, id, out int size));
        int last = size - Vector<ushort>.Count;
        Vector<ushort> wanted = new(id), found = Vector.Equals(Vector.LoadUnsafe(ref first, (nuint)last), wanted);
        for (int at = 0; at < last; at += Vector<ushort>.Count)
            found |= Vector.Equals(Vector.LoadUnsafe(ref first, (nuint)at), wanted);
        return found != Vector<ushort>.Zero ? 1 : 0;
    }

    // Where the window starts that holds the id, if the array has it, and the place where it would be put in.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int WindowOf(ReadOnlySpan<ushort> ids, ushort id, out int size)
    {
        size = Math.Min(ids.Length, ids.Length > LongestForNarrow ? Wide : Narrow);
        int highest = ids.Length - size, start = Math.Min(Math.Max((id * ids.Length >> 16) - size / 2, 0), highest);
        ref ushort first = ref Unsafe.Add(ref MemoryMarshal.GetReference(ids), start);
        bool isBelow = id < first & start > 0, isAbove = id > Unsafe.Add(ref first, size - 1) & start < highest;
        return isBelow | isAbove ? Search(ids, id, size) : start;
    }

    // Ids that lie close together are looked for between the first and the last one. If they are not spread evenly there either, each
    // level asks at seven places at once in which eighth the id would be.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Search(ReadOnlySpan<ushort> ids, ushort id, int window)
    {
        ref ushort start = ref MemoryMarshal.GetReference(ids);
        int first = start, last = Unsafe.Add(ref start, ids.Length - 1), highest = ids.Length - window;
        int guess = (Math.Clamp(id, first, Math.Max(first, last)) - first) * ids.Length / (Math.Max(last - first, 0) + 1);
        int near = Math.Min(Math.Max(guess - window / 2, 0), highest);
        bool isBelow = id < Unsafe.Add(ref start, near) & near > 0;
        if (!isBelow & !(id > Unsafe.Add(ref start, near + window - 1) & near < highest)) return near;
        int at = 0, size = ids.Length;
        while (size > window)
        {
            size = (size + Ways - 1) / Ways;
            ref ushort pivot = ref Unsafe.Add(ref MemoryMarshal.GetReference(ids), at);
            int part = 0;
            for (int i = 1; i < Ways; i++) part += Unsafe.Add(ref pivot, i * size) <= id ? 1 : 0;
            // The last part may be shorter. It then takes in some ids before it.
            at = Math.Min(at + part * size, ids.Length - size);
        }
        return Math.Min(at, ids.Length - window);
    }
}
