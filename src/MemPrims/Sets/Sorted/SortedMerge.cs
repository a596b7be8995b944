using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Two sorted arrays, merged an id at a time, without a branch that depends on the ids. The scalar tier counts and selects by it. Union
/// and exclusive-or, which have no block form, use it on every tier. Each turn moves at least one side, and nothing is written past the
/// destination.
/// </summary>
internal static class SortedMerge
{
    /// <summary>Counts what is in both.</summary>
    public static long Count<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b) where T : unmanaged, IBinaryInteger<T>
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        nint i = 0, j = 0;
        long count = 0;
        while (i < a.Length && j < b.Length)
        {
            T x = Unsafe.Add(ref first, i), y = Unsafe.Add(ref second, j);
            count += x == y ? 1 : 0;
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
        }
        return count;
    }

    /// <summary>Writes the ids of <paramref name="a"/> that are in <paramref name="b"/>, or that are not.</summary>
    public static int Select<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
        where TOperation : struct, IIdOperation
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        ref T to = ref MemoryMarshal.GetReference(destination);
        nint i = 0, j = 0, written = 0;
        while (i < a.Length && j < b.Length && written < destination.Length)
        {
            T x = Unsafe.Add(ref first, i), y = Unsafe.Add(ref second, j);
            Unsafe.Add(ref to, written) = x;
            written += (TOperation.KeepsBoth ? x == y : x < y) ? 1 : 0;
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
        }
        return (int)written + (TOperation.KeepsBoth ? 0 : CopyRest(a[(int)i..], destination[(int)written..]));
    }

    /// <summary>Writes the ids that are in either, once each.</summary>
    public static int Union<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination) where T : unmanaged, IBinaryInteger<T> =>
        Either<T, AndIds>(a, b, destination);

    /// <summary>Writes the ids that are in one and not in the other.</summary>
    public static int Xor<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination) where T : unmanaged, IBinaryInteger<T> =>
        Either<T, AndNotIds>(a, b, destination);

    private static int Either<T, TOperation>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
        where TOperation : struct, IIdOperation
    {
        ref T first = ref MemoryMarshal.GetReference(a);
        ref T second = ref MemoryMarshal.GetReference(b);
        ref T to = ref MemoryMarshal.GetReference(destination);
        nint i = 0, j = 0, written = 0;
        while (i < a.Length && j < b.Length && written < destination.Length)
        {
            T x = Unsafe.Add(ref first, i), y = Unsafe.Add(ref second, j);
            Unsafe.Add(ref to, written) = T.Min(x, y);
            written += TOperation.KeepsBoth || x != y ? 1 : 0;
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
        }
        written += CopyRest(a[(int)i..], destination[(int)written..]);
        return (int)written + CopyRest(b[(int)j..], destination[(int)written..]);
    }

    private static int CopyRest<T>(ReadOnlySpan<T> rest, Span<T> destination)
    {
        rest = rest[..Math.Min(rest.Length, destination.Length)];
        rest.CopyTo(destination);
        return rest.Length;
    }
}
