namespace MemPrims.Sets;

// Searches in sorted arrays, for pairs of which one side is much shorter. Each step of a binary search is arithmetic and not a branch, so
// the processor runs the searches of several ids at once. The last steps are one comparison with a vector. In a long array, sixteen ids
// are first bracketed by galloping from where the sixteen before them ended. Then they are searched together, step by step.
internal static class SortedSearch
{
    // Up to this length there is no bracket. Searches that do not wait for one another are faster than shorter ones that do (Sets/uneven,
    // 1 k × 100 k in containers).
    private const int BracketAbove = 4096;

    // The number of ids that share a bracket. Each bracket waits for the one before it.
    private const int Together = 16;

    // How many ids are below `id`.
    public static nint LowerBound<T>(ReadOnlySpan<T> ids, T id)
    {
        ref T first = ref MemoryMarshal.GetReference(ids);
        nint at = 0, size = ids.Length;
        while (size > 0)
        {
            nint half = (size + 1) >> 1;
            at += Step(Id.Value(Unsafe.Add(ref first, at + half - 1)) < Id.Value(id), half);
            size -= half;
        }
        return at;
    }

    // Counts what is in both by searching the longer for each id of the shorter.
    public static long CountUneven<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b)
    {
        ReadOnlySpan<T> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        if (few.IsEmpty) return 0;
        long usual = 2L * Together * (many.Length / few.Length);
        long count = 0;
        Span<int> places = stackalloc int[Together];
        while (many.Length > BracketAbove && !few.IsEmpty)
        {
            ReadOnlySpan<T> group = few[..Math.Min(few.Length, Together)], bracket = many[..Bracket(many, group[^1], usual)];
            FindTogether(group, bracket, places);
            for (int i = 0; i < group.Length; i++) count += IsThere(group[i], bracket, places[i]);
            few = few[group.Length..];
            many = many[places[group.Length - 1]..];
        }
        // A search ends in one vector, or at one id where there is none.
        int width = Vector.IsHardwareAccelerated && many.Length >= Vector<T>.Count ? Vector<T>.Count : 1;
        if (!many.IsEmpty) foreach (T id in few) count += Holds(many, id, width);
        return count;
    }

    // Searches all ids of a group together, step by step: of each the place of the last id that is not above it, or the first place. In a
    // long array the loads of a step miss the cache. They do not wait for one another.
    private static void FindTogether<T>(ReadOnlySpan<T> group, ReadOnlySpan<T> bracket, Span<int> places)
    {
        places[..group.Length].Clear();
        ref T first = ref MemoryMarshal.GetReference(bracket), id = ref MemoryMarshal.GetReference(group);
        ref int place = ref MemoryMarshal.GetReference(places);
        for (int size = bracket.Length, half; size > 1; size -= half)
        {
            half = size >> 1;
            for (nint i = 0; i < group.Length; i++)
            {
                int at = Unsafe.Add(ref place, i);
                bool isBefore = Id.Value(Unsafe.Add(ref first, at + half)) <= Id.Value(Unsafe.Add(ref id, i));
                Unsafe.Add(ref place, i) = at + Unsafe.BitCast<bool, byte>(isBefore) * half;
            }
        }
    }

    // 1 where the id is at a place of FindTogether, else 0.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int IsThere<T>(T id, ReadOnlySpan<T> bracket, int place) =>
        Id.Value(Unsafe.Add(ref MemoryMarshal.GetReference(bracket), place)) == Id.Value(id) ? 1 : 0;

    // A length within which all ids of `many` up to `highest` lie.
    private static int Bracket<T>(ReadOnlySpan<T> many, T highest, long usual)
    {
        long length = usual;
        while (length < many.Length && Id.Value(many[(int)length]) <= Id.Value(highest)) length <<= 1;
        return (int)Math.Min(length, many.Length);
    }

    // 1 when `id` is among the ids, of which there is a width at least; else 0.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Holds<T>(ReadOnlySpan<T> ids, T id, int width)
    {
        ref T first = ref MemoryMarshal.GetReference(ids);
        nint at = 0, size = ids.Length, last = size - width;
        while (size > width)
        {
            nint half = size >> 1;
            at += Step(Id.Value(Unsafe.Add(ref first, at + half)) <= Id.Value(id), half);
            size -= half;
        }
        // If the id is there, it is one of the next `size` ids. If fewer than a vector are left, it is in the last whole vector.
        first = ref Unsafe.Add(ref first, at - Step(at > last, at - last));
        return (width == 1 ? Id.Value(first) == Id.Value(id) : Vector.EqualsAny(Vector.LoadUnsafe(ref first), Vector.Create(id))) ? 1 : 0;
    }

    // Writes the ids of `ids` that are in `others`, or those that are not. It never writes more than the destination takes.
    public static int SelectUneven<T, TOperation>(ReadOnlySpan<T> ids, ReadOnlySpan<T> others, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        if (ids.Length <= others.Length) return SelectFew<T, TOperation>(ids, others, destination);
        return TOperation.KeepsBoth ? SelectFew<T, AndIds>(others, ids, destination)
            : Splice<T, AndNotIds>(ids, others, destination);
    }

    private static int SelectFew<T, TOperation>(ReadOnlySpan<T> few, ReadOnlySpan<T> many, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        long usual = 2L * Together * (many.Length / Math.Max(few.Length, 1));
        int written = 0, kept = TOperation.KeepsBoth ? 1 : 0;
        Span<int> places = stackalloc int[Together];
        while (!few.IsEmpty && !many.IsEmpty)
        {
            ReadOnlySpan<T> group = few[..Math.Min(few.Length, Together)], bracket = many[..Bracket(many, group[^1], usual)];
            FindTogether(group, bracket, places);
            for (int i = 0; i < group.Length && written < destination.Length; i++)
            {
                destination[written] = group[i];
                written += IsThere(group[i], bracket, places[i]) ^ kept ^ 1;
            }
            few = few[group.Length..];
            many = many[places[group.Length - 1]..];
        }
        if (!TOperation.KeepsBoth) Append(few, destination, ref written);
        return written;
    }

    // Puts few ids between the many, or takes them out, and copies the stretches between. Ids of 16 bits are those of a container: their
    // places do not wait for one another.
    public static int Splice<T, TOperation>(ReadOnlySpan<T> many, ReadOnlySpan<T> few, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        int done = 0, written = 0;
        foreach (T id in few)
        {
            int end = Unsafe.SizeOf<T>() == sizeof(ushort)
                ? Math.Max(ArraySearch.UpTo(Of16Bits(many), (ushort)Id.Value(id)), done)
                : done + (int)GallopTo(many[done..], id);
            if (Unsafe.SizeOf<T>() != sizeof(ushort) && end < many.Length && Id.Value(many[end]) == Id.Value(id)) end++;
            bool isThere = end > done && Id.Value(many[end - 1]) == Id.Value(id);
            Append(many[done..(end - (isThere ? 1 : 0))], destination, ref written);
            if (written < destination.Length) destination[written] = id;
            written += written < destination.Length && (isThere ? TOperation.KeepsBoth : TOperation.KeepsRight) ? 1 : 0;
            done = end;
        }
        Append(many[done..], destination, ref written);
        return written;
    }

    // How many ids are below `id`, found in a time that grows with the logarithm of that number.
    public static nint GallopTo<T>(ReadOnlySpan<T> ids, T id)
    {
        int end = 1;
        while (end < ids.Length && Id.Value(ids[end]) < Id.Value(id)) end = end > ids.Length / 2 ? ids.Length : end * 2;
        int start = end / 2;
        end = Math.Min(end, ids.Length);
        return start + LowerBound(ids[start..end], id);
    }

    private static ReadOnlySpan<ushort> Of16Bits<T>(ReadOnlySpan<T> ids) =>
        MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<T, ushort>(ref MemoryMarshal.GetReference(ids)), ids.Length);

    // Only unsorted ids can give more than the destination takes. What does not fit is left out.
    private static void Append<T>(ReadOnlySpan<T> ids, Span<T> destination, ref int written)
    {
        ids = ids[..Math.Min(ids.Length, destination.Length - written)];
        ids.CopyTo(destination[written..]);
        written += ids.Length;
    }

    // A mask, because the JIT would make an unpredictable branch of a conditional that yields a variable.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static nint Step(bool taken, nint by) => -(nint)(taken ? 1 : 0) & by;
}
