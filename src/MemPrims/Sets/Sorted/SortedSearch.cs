using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Searches in sorted arrays, for when one side is much shorter than the other. Each step of a binary search halves by arithmetic, not by a branch,
/// and four ids are searched at once, so that their cache misses overlap; the last steps are one comparison with a vector.
/// In a long array the four are first bracketed by galloping from where the four before them ended.
/// </summary>
internal static class SortedSearch
{
    /// <summary>Up to this length no bracket: searches that do not wait for one another beat shorter ones (Sets/uneven 1 k × 100 k in containers).</summary>
    private const int BracketAbove = 4096;

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
        SortedProbe<T, TProbe> probe = new(few, many);
        long count = 0;
        while (probe.Next(out uint found)) count += BitOperations.PopCount(found);
        return count;
    }

    /// <summary>Writes the ids of <paramref name="ids"/> that are in <paramref name="others"/>, or that are not; never more than the destination takes.</summary>
    public static int SelectUneven<T, TKeep>(ReadOnlySpan<T> ids, ReadOnlySpan<T> others, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
        where TKeep : struct, IKeep
    {
        if (ids.Length > others.Length) return TKeep.Matched ? SelectByProbe<T, KeepMatched>(others, ids, destination) : Without(ids, others, destination);
        return SelectByProbe<T, TKeep>(ids, others, destination);
    }

    private static int SelectByProbe<T, TKeep>(ReadOnlySpan<T> few, ReadOnlySpan<T> many, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
        where TKeep : struct, IKeep
    {
        SortedProbe<T, Lane1<T>> probe = new(few, many);
        int written = 0;
        for (int at = 0; probe.Next(out uint found); at += SortedProbe<T, Lane1<T>>.AtOnce)
        {
            int asked = Math.Min(few.Length - at, SortedProbe<T, Lane1<T>>.AtOnce);
            uint keep = (TKeep.Matched ? found : ~found) & ((1u << asked) - 1);
            for (; keep != 0 && written < destination.Length; keep &= keep - 1) destination[written++] = few[at + BitOperations.TrailingZeroCount(keep)];
        }
        return written;
    }

    /// <summary>The many without the few: the stretches between them, copied.</summary>
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

    /// <summary>Both together: the few put between stretches of the many, copied.</summary>
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

    // Only unsorted ids can make more than the destination takes: what does not fit is left out.
    private static void Append<T>(ReadOnlySpan<T> ids, Span<T> destination, ref int written)
    {
        ids = ids[..Math.Min(ids.Length, destination.Length - written)];
        ids.CopyTo(destination[written..]);
        written += ids.Length;
    }

    /// <summary>Where to bracket for an array of this length.</summary>
    internal static bool Brackets(nint length) => length > BracketAbove;

    // Written as a mask: the JIT makes an unpredictable branch of a conditional that yields a variable.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static nint Step(bool taken, nint by) => -(taken ? 1 : 0) & by;
}
