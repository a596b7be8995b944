using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>
/// Finds ids in the array of a container. The value of an id says where it lies if the ids are spread evenly. So a window around that
/// place is compared first, with loads that do not wait for one another. A search follows only if the window proves wrong.
/// </summary>
internal static class ArraySearch
{
    // The window covers several standard deviations of the place of an evenly spread id, which are at most 13 places among 654 ids and 32
    // among 4096 (reasoned, not swept).
    private const int Narrow = 64, Wide = 128, LongestForNarrow = 1024, Ways = 8;

    /// <summary>How many of the ids are at or below <paramref name="id"/>.</summary>
    public static int UpTo(ReadOnlySpan<ushort> ids, ushort id) => Hardware.Tier switch
    {
        Tier.Vector512 when ids.Length >= Vector512<ushort>.Count => UpTo<Lanes512<ushort>>(ids, id),
        Tier.Vector256 when ids.Length >= Vector256<ushort>.Count => UpTo<Lanes256<ushort>>(ids, id),
        Tier.Vector128 when ids.Length >= Vector128<ushort>.Count => UpTo<Lanes128<ushort>>(ids, id),
        _ => id == ushort.MaxValue ? ids.Length : (int)SortedSearch.LowerBound(ids, (ushort)(id + 1)),
    };

    /// <summary>
    /// 1 when <paramref name="id"/> is among the ids, else 0. There must be at least as many ids as a probe compares.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Holds<TProbe>(ReadOnlySpan<ushort> ids, ushort id) where TProbe : struct, IProbe<ushort>
    {
        ref ushort first = ref Unsafe.Add(ref MemoryMarshal.GetReference(ids), WindowOf(ids, id, out int size));
        int last = size - TProbe.Count, found = TProbe.Holds(ref Unsafe.Add(ref first, last), id);
        for (int at = 0; at < last; at += TProbe.Count) found |= TProbe.Holds(ref Unsafe.Add(ref first, at), id);
        return found;
    }

    private static int UpTo<TProbe>(ReadOnlySpan<ushort> ids, ushort id) where TProbe : struct, IProbe<ushort>
    {
        int start = WindowOf(ids, id, out int size), last = size - TProbe.Count, at = 0, count = 0;
        ref ushort first = ref Unsafe.Add(ref MemoryMarshal.GetReference(ids), start);
        for (; at < last; at += TProbe.Count) count += TProbe.CountUpTo(ref Unsafe.Add(ref first, at), id);
        // The last vector begins with ids that were counted already. They are in order: if any id behind them is at or below the one
        // asked for, all of them are, and are subtracted.
        return start + count + Math.Max(TProbe.CountUpTo(ref Unsafe.Add(ref first, last), id) - (at - last), 0);
    }

    /// <summary>
    /// Where the window starts that holds the id, if the array has it, and the place where it would be put in.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int WindowOf(ReadOnlySpan<ushort> ids, ushort id, out int size)
    {
        size = Math.Min(ids.Length, ids.Length > LongestForNarrow ? Wide : Narrow);
        int highest = ids.Length - size, start = Math.Min(Math.Max((id * ids.Length >> 16) - size / 2, 0), highest);
        ref ushort first = ref Unsafe.Add(ref MemoryMarshal.GetReference(ids), start);
        bool isBelow = id < first & start > 0, isAbove = id > Unsafe.Add(ref first, size - 1) & start < highest;
        return isBelow | isAbove ? Search(ids, id, size) : start;
    }

    /// <summary>
    /// Ids that lie close together are looked for between the first and the last one. If they are not spread evenly there either, each
    /// level asks at seven places at once in which eighth the id would be.
    /// </summary>
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
