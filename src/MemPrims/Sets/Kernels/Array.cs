using System.Numerics;
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
    /// From this ratio of lengths on, each id of the shorter array is looked up. On Zen 4 a meeting of 125 ids with 1500 takes 1.12 of
    /// that with 512 bits and 1.43 with 256; of 250, 0.60 (Sets/thresholds, uneven).
    /// </summary>
    private const int UnevenToSelect = 12;

    /// <summary>
    /// From this ratio on, few ids are taken out of the many one by one. On Zen 4 a meeting takes 1.3 of that with 512 bits, 0.99 with
    /// 256; at half of the ratio 1.07 and 0.78 (Sets/thresholds, uneven).
    /// </summary>
    private const int UnevenToTake = 24;

    /// <summary>
    /// From this ratio on, few ids are put between the many. On Zen 4 a merge takes 1.1 of that with 512 bits, 0.73 at half of the ratio;
    /// with 256 bits 0.98, and 0.61 at half of it (Sets/thresholds, uneven).
    /// </summary>
    private static int UnevenToSplice => MergeLanes512.IsSupported ? 48 : 24;

    public static int And(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
    {
        ReadOnlySpan<ushort> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        if (few.IsEmpty) return 0;
        if (few.Length * UnevenToSelect <= many.Length) return FewIds.Select<AndIds>(few, many, ref to);
        if (ArrayMeeting256.IsSupported) return ArrayMeeting256.Select<AndIds>(few, many, ref to);
        return FewInVector.Suit(few, many) ? FewInVector.Select<AndIds>(few, many, ref to) : ArrayMerge.Intersect(few, many, ref to);
    }

    public static int AndNot(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
    {
        if (a.Length * UnevenToSelect <= b.Length) return FewIds.Select<AndNotIds>(a, b, ref to);
        if (b.Length * UnevenToTake <= a.Length) return Without(a, b, ref to);
        if (ArrayMeeting256.IsSupported) return ArrayMeeting256.Select<AndNotIds>(a, b, ref to);
        if (FewInVector.Suit(a, b)) return FewInVector.Select<AndNotIds>(a, b, ref to);
        return MergeLanes512.IsSupported ? ArrayMerge.Except(a, b, ref to)
            : SortedKernels.Except(a, b, MemoryMarshal.CreateSpan(ref to, a.Length));
    }

    public static int Or(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
    {
        if (b.Length * UnevenToSplice <= a.Length) return Splice<OrIds>(a, b, ref to);
        return a.Length * UnevenToSplice <= b.Length ? Splice<OrIds>(b, a, ref to) : ArrayMerge.Union(a, b, ref to);
    }

    public static int Xor(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
    {
        if (b.Length * UnevenToSplice <= a.Length) return Splice<XorIds>(a, b, ref to);
        return a.Length * UnevenToSplice <= b.Length ? Splice<XorIds>(b, a, ref to) : ArrayMerge.Xor(a, b, ref to);
    }

    /// <summary>
    /// Takes few ids out of many. Most of the few are not there, so those that are come first, and only they cut the copy in stretches.
    /// </summary>
    [SkipLocalsInit]
    private static int Without(ReadOnlySpan<ushort> many, ReadOnlySpan<ushort> few, ref ushort to)
    {
        Span<ushort> shared = stackalloc ushort[Container.MaxArray / UnevenToTake + ArrayMerge.Slack];
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

/// <summary>
/// Looks up a few ids in the array of a container, one by one.
/// </summary>
internal static class FewIds
{
    /// <summary>Up to this many ids on the shorter side: Sets/shapes, 10 × 10 in 100.</summary>
    public const int Most = 16;

    public static bool Contains(ReadOnlySpan<ushort> ids, ushort id) => Count(new(in id), ids) != 0;

    public static int Count(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many) => Hardware.Tier switch
    {
        Tier.Vector512 when many.Length >= Vector512<ushort>.Count => Count<Lanes512<ushort>>(few, many),
        Tier.Vector256 when many.Length >= Vector256<ushort>.Count => Count<Lanes256<ushort>>(few, many),
        Tier.Vector128 when many.Length >= Vector128<ushort>.Count => Count<Lanes128<ushort>>(few, many),
        _ => (int)SortedSearch.CountUneven(few, many),
    };

    /// <summary>
    /// Writes the few that are among the many, or that are not, and returns how many. The destination takes all of them.
    /// </summary>
    public static int Select<TOperation>(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many, ref ushort to)
        where TOperation : struct, IIdOperation => Hardware.Tier switch
        {
            Tier.Vector512 when many.Length >= Vector512<ushort>.Count => Select<TOperation, Lanes512<ushort>>(few, many, ref to),
            Tier.Vector256 when many.Length >= Vector256<ushort>.Count => Select<TOperation, Lanes256<ushort>>(few, many, ref to),
            Tier.Vector128 when many.Length >= Vector128<ushort>.Count => Select<TOperation, Lanes128<ushort>>(few, many, ref to),
            _ => SortedSearch.SelectUneven<ushort, TOperation>(few, many, MemoryMarshal.CreateSpan(ref to, few.Length)),
        };

    private static int Select<TOperation, TProbe>(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many, ref ushort to)
        where TOperation : struct, IIdOperation
        where TProbe : struct, IProbe<ushort>
    {
        int written = 0, flip = TOperation.KeepsBoth ? 0 : 1;
        foreach (ushort id in few)
        {
            Unsafe.Add(ref to, written) = id;
            written += ArraySearch.Holds<TProbe>(many, id) ^ flip;
        }
        return written;
    }

    private static int Count<TProbe>(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many) where TProbe : struct, IProbe<ushort>
    {
        int count = 0;
        foreach (ushort id in few) count += ArraySearch.Holds<TProbe>(many, id);
        return count;
    }
}

/// <summary>
/// Whether one id is in the array of a container. Up to 128 ids are all compared, in two or four vectors that overlap. More are searched:
/// <see cref="ArraySearch"/> looks where an evenly spread id lies (Sets/small, 100 ids in 60,000: searched 20 ns).
/// </summary>
internal static class ArrayContains
{
    /// <summary>The ids of two vectors of 256 bits.</summary>
    private const int Sixteen = 16, Most = 2 * Sixteen, MostInFour = 4 * Most;

    /// <summary>What <see cref="HoldsFew"/> takes, and the bytes that it may read in front of the ids.</summary>
    public const int MostInEight = 8, BytesInFront = 16;

    /// <summary>
    /// The same for at most eight ids, without a branch on how many: the vector that ends with them is compared, and what lies before
    /// them is left out.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool HoldsFew(ref ushort first, int count, ushort id)
    {
        Vector128<ushort> eight = Vector128.LoadUnsafe(ref Unsafe.Add(ref first, count - MostInEight));
        return Vector128.Equals(eight, Vector128.Create(id)).ExtractMostSignificantBits() >> (MostInEight - count) != 0;
    }

    public static bool Holds(ref ushort first, int count, ushort id)
    {
        if (Hardware.Tier == Tier.Scalar || count < Vector128<ushort>.Count) return HoldsOneByOne(ref first, count, id);
        if (count < Sixteen)
            return Vector128.EqualsAny(Vector128.LoadUnsafe(ref first), Vector128.Create(id))
                | Vector128.EqualsAny(Vector128.LoadUnsafe(ref first, (nuint)(count - Vector128<ushort>.Count)), Vector128.Create(id));
        if (count <= Most)
            return Vector256.EqualsAny(Vector256.LoadUnsafe(ref first), Vector256.Create(id))
                | Vector256.EqualsAny(Vector256.LoadUnsafe(ref first, (nuint)(count - Sixteen)), Vector256.Create(id));
        if (count <= MostInFour)
        {
            int last = count - Most;
            Vector512<ushort> ids = Vector512.Create(id);
            return Vector512.EqualsAny(
                Vector512.Min(
                    Vector512.Min(Vector512.LoadUnsafe(ref first) ^ ids,
                        Vector512.LoadUnsafe(ref first, (nuint)Math.Min(Most, last)) ^ ids),
                    Vector512.Min(Vector512.LoadUnsafe(ref first, (nuint)Math.Min(2 * Most, last)) ^ ids,
                        Vector512.LoadUnsafe(ref first, (nuint)last) ^ ids)),
                Vector512<ushort>.Zero);
        }
        return FewIds.Contains(MemoryMarshal.CreateReadOnlySpan(ref first, count), id);
    }

    private static bool HoldsOneByOne(ref ushort first, int count, ushort id)
    {
        if (count >= Vector128<ushort>.Count)
        {
            ReadOnlySpan<ushort> ids = MemoryMarshal.CreateReadOnlySpan(ref first, count);
            int at = (int)SortedSearch.LowerBound(ids, id);
            return at < count && ids[at] == id;
        }
        bool found = false;
        for (int i = 0; i < count; i++) found |= Unsafe.Add(ref first, i) == id;
        return found;
    }
}

/// <summary>
/// Finds ids in the array of a container. The value of an id says where it lies if the ids are spread evenly. So a window around that
/// place is compared first, with loads that do not wait for one another. A search follows only if the window proves wrong.
/// </summary>
internal static class ArraySearch
{
    // The window covers several standard deviations of the place of an evenly spread id, which are at most 13 places among 654 ids and 32
    // among 4096. The narrow one takes 0.91 of the wide one's time among 1024 ids, and 0.96 among 2048, where it misses more of them
    // (Zen 4; Sets/thresholds, one of many).
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
        // The last vector begins with ids that were counted already. They are in order: if any id after them is at or below the one
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

/// <summary>
/// Widens the ids of an array to those of a set. One vector of 16-bit ids becomes two of 32 bits, or four of 64.
/// </summary>
internal static class ArrayDecode
{
    /// <summary>Writes all ids with <paramref name="high"/> above them.</summary>
    public static void Write<T>(ReadOnlySpan<ushort> ids, T high, Span<T> destination) where T : unmanaged, IBinaryInteger<T>
    {
        destination = destination[..ids.Length];
        int at = 0;
        if (Unsafe.SizeOf<T>() == sizeof(uint) && Vector.IsHardwareAccelerated && ids.Length >= Vector<ushort>.Count)
        {
            Vector<uint> above = new(uint.CreateTruncating(high));
            ref ushort from = ref MemoryMarshal.GetReference(ids);
            ref uint to = ref Unsafe.As<T, uint>(ref MemoryMarshal.GetReference(destination));
            int last = ids.Length - Vector<ushort>.Count;
            for (; at < last; at += Vector<ushort>.Count) Widen(ref from, ref to, at, above);
            // The last vector begins with ids that were written already.
            Widen(ref from, ref to, last, above);
            return;
        }
        if (Unsafe.SizeOf<T>() == sizeof(uint) && Vector128.IsHardwareAccelerated && ids.Length >= Vector128<ushort>.Count)
        {
            WidenEight(ids, 0, uint.CreateTruncating(high), destination);
            WidenEight(ids, ids.Length - Vector128<ushort>.Count, uint.CreateTruncating(high), destination);
            return;
        }
        for (; at < ids.Length; at++) destination[at] = high | T.CreateTruncating(ids[at]);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void WidenEight<T>(ReadOnlySpan<ushort> ids, int at, uint high, Span<T> destination)
    {
        ref uint to = ref Unsafe.As<T, uint>(ref MemoryMarshal.GetReference(destination));
        Vector128<ushort> eight = Vector128.LoadUnsafe(ref MemoryMarshal.GetReference(ids), (nuint)at);
        (Vector128<uint> low, Vector128<uint> upper) = Vector128.Widen(eight);
        (low | Vector128.Create(high)).StoreUnsafe(ref to, (nuint)at);
        (upper | Vector128.Create(high)).StoreUnsafe(ref to, (nuint)(at + 4));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Widen(ref ushort from, ref uint to, int at, Vector<uint> above)
    {
        Vector.Widen(Vector.LoadUnsafe(ref from, (nuint)at), out Vector<uint> low, out Vector<uint> high);
        (low | above).StoreUnsafe(ref to, (nuint)at);
        (high | above).StoreUnsafe(ref to, (nuint)(at + Vector<uint>.Count));
    }
}

/// <summary>
/// For each of 256 masks, the shuffle that moves the marked 16-bit lanes of 128 bits to the front. VBMI2 does the same by one instruction.
/// The table takes 4 KiB.
/// </summary>
internal static class PackTable
{
    private static readonly Vector128<byte>[] s_shuffles = [.. Enumerable.Range(0, 256).Select(Shuffle)];

    /// <summary>The lanes whose bit is set in <paramref name="mask"/>, which is below 256; zeros after them.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ushort> Pack(Vector128<ushort> ids, uint mask) =>
        Vector128.Shuffle(ids.AsByte(), Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(s_shuffles), mask)).AsUInt16();

    private static Vector128<byte> Shuffle(int mask)
    {
        byte[] bytes = new byte[16];
        Array.Fill(bytes, byte.MaxValue);
        for (int lane = 0, to = 0; lane < 8; lane++)
        {
            if ((mask >> lane & 1) == 0) continue;
            bytes[to++] = (byte)(2 * lane);
            bytes[to++] = (byte)(2 * lane + 1);
        }
        return Vector128.Create(bytes);
    }
}
