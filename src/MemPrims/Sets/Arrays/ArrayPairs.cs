using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>
/// Chooses how two arrays of 16-bit ids become a third. Arrays of similar length meet or are merged in vectors. If one is much shorter,
/// each of its ids is looked up in the other, and the stretches between are copied. A destination takes the largest possible result and
/// <see cref="ArrayMerge.Slack"/>.
/// </summary>
internal static class ArrayPairs
{
    /// <summary>
    /// From this ratio of lengths on, each id of the shorter array is looked up (reasoned: a search takes 20 ns, a merge 0.4 ns an id).
    /// </summary>
    private static int Uneven => MergeLanes512.IsSupported ? 48 : LeastUneven;

    private const int LeastUneven = 16;

    public static int And(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
    {
        ReadOnlySpan<ushort> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        if (few.IsEmpty) return 0;
        if (few.Length * Uneven <= many.Length) return FewIds.Select<AndIds>(few, many, ref to);
        if (ArrayMeeting256.IsSupported) return ArrayMeeting256.Select<AndIds>(few, many, ref to);
        if (few.Length > ArrayMeeting512.MostFew && Vector128.IsHardwareAccelerated) return ArrayMerge.Intersect(few, many, ref to);
        return ArrayMeeting512.IsSupported ? ArrayMeeting512.Select<AndIds>(few, many, ref to)
            : SortedKernels.Intersect(few, many, MemoryMarshal.CreateSpan(ref to, few.Length));
    }

    public static int AndNot(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
    {
        if (a.Length * Uneven <= b.Length) return FewIds.Select<AndNotIds>(a, b, ref to);
        if (b.Length * Uneven <= a.Length) return Without(a, b, ref to);
        if (ArrayMeeting256.IsSupported) return ArrayMeeting256.Select<AndNotIds>(a, b, ref to);
        if (Math.Min(a.Length, b.Length) > ArrayMeeting512.MostFew && MergeLanes512.IsSupported) return ArrayMerge.Except(a, b, ref to);
        return ArrayMeeting512.IsSupported ? ArrayMeeting512.Select<AndNotIds>(a, b, ref to)
            : SortedKernels.Except(a, b, MemoryMarshal.CreateSpan(ref to, a.Length));
    }

    public static int Or(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
    {
        if (b.Length * Uneven <= a.Length) return Splice<OrIds>(a, b, ref to);
        return a.Length * Uneven <= b.Length ? Splice<OrIds>(b, a, ref to) : ArrayMerge.Union(a, b, ref to);
    }

    public static int Xor(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
    {
        if (b.Length * Uneven <= a.Length) return Splice<XorIds>(a, b, ref to);
        return a.Length * Uneven <= b.Length ? Splice<XorIds>(b, a, ref to) : ArrayMerge.Xor(a, b, ref to);
    }

    /// <summary>
    /// Takes few ids out of many. Most of the few are not there, so those that are come first, and only they cut the copy in stretches.
    /// </summary>
    [SkipLocalsInit]
    private static int Without(ReadOnlySpan<ushort> many, ReadOnlySpan<ushort> few, ref ushort to)
    {
        Span<ushort> shared = stackalloc ushort[Container.MaxArray / LeastUneven + ArrayMerge.Slack];
        return Splice<AndNotIds>(many, shared[..And(many, few, ref shared[0])], ref to);
    }

    /// <summary>
    /// Puts a few ids between the many, or takes them out, and copies the stretches between. Unsorted ids never make it write past the
    /// room given.
    /// </summary>
    private static int Splice<TOperation>(ReadOnlySpan<ushort> many, ReadOnlySpan<ushort> few, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        int done = 0, written = 0;
        foreach (ushort id in few)
        {
            // The places do not wait for one another; only the copies follow in order.
            int end = Math.Max(ArraySearch.UpTo(many, id), done);
            bool isThere = end > done && many[end - 1] == id;
            int stretch = end - done - (isThere ? 1 : 0);
            CopyStretch(many.Slice(done, stretch), ref Unsafe.Add(ref to, written));
            written += stretch;
            Unsafe.Add(ref to, written) = id;
            written += (isThere ? TOperation.KeepsBoth : TOperation.KeepsRight) ? 1 : 0;
            done = end;
        }
        ReadOnlySpan<ushort> rest = many[done..];
        CopyStretch(rest, ref Unsafe.Add(ref to, written));
        return written + rest.Length;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void CopyStretch(ReadOnlySpan<ushort> ids, ref ushort to) => ids.CopyTo(MemoryMarshal.CreateSpan(ref to, ids.Length));
}
