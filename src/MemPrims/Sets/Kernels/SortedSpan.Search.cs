using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Searches in sorted arrays, for pairs of which one side is much shorter. Each step of a binary search is arithmetic and not a branch, so
/// the processor runs the searches of several ids at once. The last steps are one comparison with a vector. In a long array, sixteen ids
/// are first bracketed by galloping from where the sixteen before them ended. Then they are searched together, step by step.
/// </summary>
internal static class SortedSearch
{
    /// <summary>
    /// Up to this length there is no bracket. Searches that do not wait for one another are faster than shorter ones that do (Sets/uneven,
    /// 1 k × 100 k in containers).
    /// </summary>
    private const int BracketAbove = 4096;

    /// <summary>
    /// The number of ids that share a bracket. Each bracket waits for the one before it.
    /// </summary>
    private const int Together = 16;

    /// <summary>How many ids are below <paramref name="id"/>.</summary>
    public static nint LowerBound<T>(ReadOnlySpan<T> ids, T id) where T : unmanaged, IBinaryInteger<T>
    {
        ref T first = ref MemoryMarshal.GetReference(ids);
        nint at = 0, size = ids.Length;
        while (size > 0)
        {
            nint half = (size + 1) >> 1;
            at += Step(Unsafe.Add(ref first, at + half - 1) < id, half);
            size -= half;
        }
        return at;
    }

    /// <summary>Counts what is in both by searching the longer for each id of the shorter.</summary>
    public static long CountUneven<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b) where T : unmanaged, IBinaryInteger<T>
    {
        ReadOnlySpan<T> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        if (few.IsEmpty) return 0;
        return Hardware.Tier switch
        {
            Tier.Vector512 when many.Length >= Lanes512<T>.Count => Count<T, Lanes512<T>>(few, many),
            Tier.Vector256 when many.Length >= Lanes256<T>.Count => Count<T, Lanes256<T>>(few, many),
            Tier.Vector128 when many.Length >= Lanes128<T>.Count => Count<T, Lanes128<T>>(few, many),
            _ => Count<T, Lane1<T>>(few, many),
        };
    }

    private static long Count<T, TProbe>(ReadOnlySpan<T> few, ReadOnlySpan<T> many)
        where T : unmanaged, IBinaryInteger<T>
        where TProbe : struct, IProbe<T>
    {
        long count = 0;
        if (many.Length <= BracketAbove)
        {
            foreach (T id in few) count += Holds<T, TProbe>(many, id);
            return count;
        }
        int usual = Math.Max(TProbe.Count, 2 * Together * (many.Length / few.Length));
        while (!few.IsEmpty && many.Length >= TProbe.Count)
        {
            ReadOnlySpan<T> group = few[..Math.Min(few.Length, Together)];
            count += CountTogether<T, TProbe>(group, many[..Math.Max(TProbe.Count, Bracket(many, group[^1], usual))], out int from);
            few = few[group.Length..];
            many = many[from..];
        }
        return count + (few.IsEmpty ? 0 : CountUneven(few, many));
    }

    /// <summary>
    /// Searches all ids of a group together, step by step. In a long array the loads of a step miss the cache. They do not wait for one
    /// another.
    /// </summary>
    private static int CountTogether<T, TProbe>(ReadOnlySpan<T> group, ReadOnlySpan<T> bracket, out int from)
        where T : unmanaged, IBinaryInteger<T>
        where TProbe : struct, IProbe<T>
    {
        Span<int> places = stackalloc int[Together];
        places.Clear();
        ref T first = ref MemoryMarshal.GetReference(bracket);
        int size = bracket.Length, last = size - TProbe.Count, count = 0;
        while (size > TProbe.Count)
        {
            int half = size >> 1;
            for (int i = 0; i < group.Length; i++)
            {
                int at = places[i];
                places[i] = at + (int)Step(Unsafe.Add(ref first, at + half) <= group[i], half);
            }
            size -= half;
        }
        for (int i = 0; i < group.Length; i++) count += TProbe.Holds(ref Unsafe.Add(ref first, Math.Min(places[i], last)), group[i]);
        from = places[group.Length - 1];
        return count;
    }

    /// <summary>
    /// A length within which all ids of <paramref name="many"/> up to <paramref name="highest"/> lie.
    /// </summary>
    private static int Bracket<T>(ReadOnlySpan<T> many, T highest, int usual) where T : unmanaged, IBinaryInteger<T>
    {
        long length = usual;
        while (length < many.Length && many[(int)length] <= highest) length <<= 1;
        return (int)Math.Min(length, many.Length);
    }

    /// <summary>1 when <paramref name="id"/> is among the ids, which are a probe's width at least; else 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Holds<T, TProbe>(ReadOnlySpan<T> ids, T id)
        where T : unmanaged, IBinaryInteger<T>
        where TProbe : struct, IProbe<T>
    {
        ref T first = ref MemoryMarshal.GetReference(ids);
        nint at = 0, size = ids.Length, last = size - TProbe.Count;
        while (size > TProbe.Count)
        {
            nint half = size >> 1;
            at += Step(Unsafe.Add(ref first, at + half) <= id, half);
            size -= half;
        }
        // If the id is there, it is one of the next `size` ids. If fewer than a vector are left, it is in the last whole vector.
        return TProbe.Holds(ref Unsafe.Add(ref first, at - Step(at > last, at - last)), id);
    }

    /// <summary>
    /// Writes the ids of <paramref name="ids"/> that are in <paramref name="others"/>, or those that are not. It never writes more than
    /// the destination takes.
    /// </summary>
    public static int SelectUneven<T, TOperation>(ReadOnlySpan<T> ids, ReadOnlySpan<T> others, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
        where TOperation : struct, IIdOperation
    {
        if (ids.Length > others.Length)
            return TOperation.KeepsBoth ? SelectFew<T, AndIds>(others, ids, destination) : Without(ids, others, destination);
        return SelectFew<T, TOperation>(ids, others, destination);
    }

    private static int SelectFew<T, TOperation>(ReadOnlySpan<T> few, ReadOnlySpan<T> many, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
        where TOperation : struct, IIdOperation
    {
        int written = 0;
        foreach (T id in few)
        {
            int below = (int)GallopTo(many, id);
            many = many[below..];
            bool there = !many.IsEmpty && many[0] == id;
            if (there == TOperation.KeepsBoth && written < destination.Length) destination[written++] = id;
        }
        return written;
    }

    /// <summary>
    /// Writes the many without the few: the stretches between are copied.
    /// </summary>
    private static int Without<T>(ReadOnlySpan<T> many, ReadOnlySpan<T> few, Span<T> destination) where T : unmanaged, IBinaryInteger<T>
    {
        int written = 0;
        foreach (T id in few)
        {
            int below = (int)GallopTo(many, id);
            Append(many[..below], destination, ref written);
            many = many[(below + (below < many.Length && many[below] == id ? 1 : 0))..];
        }
        Append(many, destination, ref written);
        return written;
    }

    /// <summary>
    /// Writes both: the few between stretches of the many, which are copied.
    /// </summary>
    public static int UnionUneven<T>(ReadOnlySpan<T> few, ReadOnlySpan<T> many, Span<T> destination) where T : unmanaged, IBinaryInteger<T>
    {
        int written = 0;
        foreach (T id in few)
        {
            int below = (int)GallopTo(many, id);
            Append(many[..below], destination, ref written);
            Append(new(in id), destination, ref written);
            many = many[(below + (below < many.Length && many[below] == id ? 1 : 0))..];
        }
        Append(many, destination, ref written);
        return written;
    }

    /// <summary>How many ids are below <paramref name="id"/>, found in a time that grows with the logarithm of that number.</summary>
    public static nint GallopTo<T>(ReadOnlySpan<T> ids, T id) where T : unmanaged, IBinaryInteger<T>
    {
        int end = 1;
        while (end < ids.Length && ids[end] < id) end = end > ids.Length / 2 ? ids.Length : end * 2;
        int start = end / 2;
        end = Math.Min(end, ids.Length);
        return start + LowerBound(ids[start..end], id);
    }

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
