namespace MemPrims.Sets;

/// <summary>
/// Intersection, union and difference of sorted ids of 32 or 64 bits. Ids must be strictly increasing. Of other ids the answer is
/// undefined but stays inside the memory given; <see cref="CheckSorted(ReadOnlySpan{uint})"/> says where the order breaks. A destination
/// must not overlap the ids that are read. It must have room for the result only; with room for the largest possible result, nothing is
/// copied.
/// </summary>
public static class SortedIds
{
    /// <summary>How many ids are in both.</summary>
    public static int CountIntersection(ReadOnlySpan<uint> a, ReadOnlySpan<uint> b) => (int)SortedKernels.Count(a, b);

    /// <inheritdoc cref="CountIntersection(ReadOnlySpan{uint}, ReadOnlySpan{uint})"/>
    public static int CountIntersection(ReadOnlySpan<ulong> a, ReadOnlySpan<ulong> b) => (int)SortedKernels.Count(a, b);

    /// <summary>Writes the ids that are in both, in order, and returns how many there are.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing is written.</exception>
    public static int Intersect(ReadOnlySpan<uint> a, ReadOnlySpan<uint> b, Span<uint> destination) =>
        Combine<uint, AndIds>(a, b, destination);

    /// <inheritdoc cref="Intersect(ReadOnlySpan{uint}, ReadOnlySpan{uint}, Span{uint})"/>
    public static int Intersect(ReadOnlySpan<ulong> a, ReadOnlySpan<ulong> b, Span<ulong> destination) =>
        Combine<ulong, AndIds>(a, b, destination);

    /// <summary>Writes the ids that are in either, in order and once each, and returns how many there are.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing is written.</exception>
    public static int Union(ReadOnlySpan<uint> a, ReadOnlySpan<uint> b, Span<uint> destination) =>
        Combine<uint, OrIds>(a, b, destination);

    /// <inheritdoc cref="Union(ReadOnlySpan{uint}, ReadOnlySpan{uint}, Span{uint})"/>
    public static int Union(ReadOnlySpan<ulong> a, ReadOnlySpan<ulong> b, Span<ulong> destination) =>
        Combine<ulong, OrIds>(a, b, destination);

    /// <summary>
    /// Writes the ids of <paramref name="a"/> that are not in <paramref name="b"/>, in order, and returns how many there are.
    /// </summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing is written.</exception>
    public static int Except(ReadOnlySpan<uint> a, ReadOnlySpan<uint> b, Span<uint> destination) =>
        Combine<uint, AndNotIds>(a, b, destination);

    /// <inheritdoc cref="Except(ReadOnlySpan{uint}, ReadOnlySpan{uint}, Span{uint})"/>
    public static int Except(ReadOnlySpan<ulong> a, ReadOnlySpan<ulong> b, Span<ulong> destination) =>
        Combine<ulong, AndNotIds>(a, b, destination);

    /// <summary>Whether the ids are strictly increasing.</summary>
    public static bool IsSorted(ReadOnlySpan<uint> a) => SortedKernels.FirstDisorder(a) == a.Length;

    /// <inheritdoc cref="IsSorted(ReadOnlySpan{uint})"/>
    public static bool IsSorted(ReadOnlySpan<ulong> a) => SortedKernels.FirstDisorder(a) == a.Length;

    /// <summary>Passes when the ids are strictly increasing, else says where the order breaks.</summary>
    /// <exception cref="ArgumentException">The order breaks; the message says at which position, and at which ids.</exception>
    public static void CheckSorted(ReadOnlySpan<uint> ids) => Check(ids);

    /// <inheritdoc cref="CheckSorted(ReadOnlySpan{uint})"/>
    public static void CheckSorted(ReadOnlySpan<ulong> ids) => Check(ids);

    /// <summary>
    /// Brings ids into order and drops what is there twice. Returns how many are left, at the beginning; what is behind them has no
    /// meaning.
    /// </summary>
    public static int Sort(Span<uint> ids) => SortedKernels.FirstDisorder<uint>(ids) == ids.Length ? ids.Length : RadixSort.Sort(ids);

    /// <inheritdoc cref="Sort(Span{uint})"/>
    public static int Sort(Span<ulong> ids) => SortedKernels.FirstDisorder<ulong>(ids) == ids.Length ? ids.Length : RadixSort.Sort(ids);

    // The ids in order, once each.
    internal static ReadOnlySpan<T> Distinct<T>(ReadOnlySpan<T> ids) where T : unmanaged, IBinaryInteger<T>
    {
        T[] sorted = ids.ToArray();
        return sorted.AsSpan(0, RadixSort.Sort(sorted));
    }

    internal static void Check<T>(ReadOnlySpan<T> ids)
    {
        int position = SortedKernels.FirstDisorder(ids);
        if (position != ids.Length) Throw(position, ids[position - 1], ids[position]);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Throw(int position, T before, T at) => throw new ArgumentException(
            $"The ids must be strictly increasing, but at position {position} the id {at} follows {before}. "
                + "Sort them and leave out what is there twice.", nameof(ids));
    }

    private static int Combine<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        long most = TOperation.KeepsRight ? (long)a.Length + b.Length : TOperation.KeepsLeft ? a.Length : Math.Min(a.Length, b.Length);
        return destination.Length >= most ? SortedKernels.Combine<T, TOperation>(a, b, destination)
            : ByCopy(a, b, destination, checked((int)most));

        // What does not surely fit is made elsewhere first: the destination stays as it is when the result proves too long.
        [MethodImpl(MethodImplOptions.NoInlining)]
        static int ByCopy(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination, int most)
        {
            T[] result = ArrayPool<T>.Shared.Rent(most);
            try
            {
                int count = SortedKernels.Combine<T, TOperation>(a, b, result.AsSpan(0, most));
                if (count > destination.Length)
                    throw new ArgumentException(
                        $"The result has {count} ids, but the destination takes {destination.Length}. "
                        + $"Give one for {most}, the most that there can be.", nameof(destination));
                result.AsSpan(0, count).CopyTo(destination);
                return count;
            }
            finally
            {
                ArrayPool<T>.Shared.Return(result);
            }
        }
    }
}
