namespace MemPrims.Sets;

// Looks up a few ids in the array of a container, one by one.
internal static class FewIds
{
    // Up to this many ids on the shorter side: Sets/shapes, 10 × 10 in 100.
    public const int Most = 16;

    public static bool Contains(ReadOnlySpan<ushort> ids, ushort id) => Count(new(in id), ids) != 0;

    public static int Count(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many)
    {
        if (!ArraySearch.HasVector(many)) return (int)SortedSearch.CountUneven(few, many);
        int count = 0;
        foreach (ushort id in few) count += ArraySearch.Holds(many, id);
        return count;
    }

    // Writes the few that are among the many, or that are not, and returns how many. The destination takes all of them.
    public static int Select<TOperation>(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        if (!ArraySearch.HasVector(many))
            return SortedSearch.SelectUneven<ushort, TOperation>(few, many, MemoryMarshal.CreateSpan(ref to, few.Length));
        int written = 0, flip = TOperation.KeepsBoth ? 0 : 1;
        foreach (ushort id in few)
        {
            Unsafe.Add(ref to, written) = id;
            written += ArraySearch.Holds(many, id) ^ flip;
        }
        return written;
    }
}
