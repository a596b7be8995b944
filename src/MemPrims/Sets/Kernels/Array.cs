using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

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
        return few.IsEmpty ? 0
            : few.Length * UnevenToSelect <= many.Length ? FewIds.Select<AndIds>(few, many, ref to)
            : FewInVector.Suit(few, many) ? FewInVector.Select<AndIds>(few, many, ref to)
            : MergeLanes512.IsSupported ? ArrayMerge.Write<AndIds>(few, many, ref to)
            : SortedKernels.Combine<ushort, AndIds>(many, few, RoomFor(many, ref to));
    }

    public static int AndNot(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to) =>
        a.Length * UnevenToSelect <= b.Length ? FewIds.Select<AndNotIds>(a, b, ref to)
        : b.Length * UnevenToTake <= a.Length ? Without(a, b, ref to)
        : FewInVector.Suit(a, b) ? FewInVector.Select<AndNotIds>(a, b, ref to)
        : SortedKernels.Combine<ushort, AndNotIds>(a, b, RoomFor(a, ref to));

    /// <summary>Or, and Xor.</summary>
    public static int Join<TOperation>(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        ReadOnlySpan<ushort> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        return few.Length * UnevenToSplice <= many.Length
            ? SortedSearch.Splice<ushort, TOperation>(many, few, MemoryMarshal.CreateSpan(ref to, a.Length + b.Length))
            : ArrayMerge.Write<TOperation>(a, b, ref to);
    }

    /// <summary>
    /// Takes few ids out of many. Most of the few are not there, so those that are come first, and only they cut the copy in stretches.
    /// </summary>
    [SkipLocalsInit]
    private static int Without(ReadOnlySpan<ushort> many, ReadOnlySpan<ushort> few, ref ushort to)
    {
        Span<ushort> shared = stackalloc ushort[Container.MaxArray / UnevenToTake + ArrayMerge.Slack];
        return SortedSearch.Splice<ushort, AndNotIds>(many, shared[..And(many, few, ref shared[0])], RoomFor(many, ref to));
    }

    private static Span<ushort> RoomFor(ReadOnlySpan<ushort> ids, ref ushort to) =>
        MemoryMarshal.CreateSpan(ref to, ids.Length + SortedBlocks<ushort>.Slack);
}

/// <summary>
/// Looks up a few ids in the array of a container, one by one.
/// </summary>
internal static class FewIds
{
    /// <summary>Up to this many ids on the shorter side: Sets/shapes, 10 × 10 in 100.</summary>
    public const int Most = 16;

    public static bool Contains(ReadOnlySpan<ushort> ids, ushort id) => Count(new(in id), ids) != 0;

    public static int Count(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many)
    {
        if (!ArraySearch.HasVector(many)) return (int)SortedSearch.CountUneven(few, many);
        int count = 0;
        foreach (ushort id in few) count += ArraySearch.Holds(many, id);
        return count;
    }

    /// <summary>
    /// Writes the few that are among the many, or that are not, and returns how many. The destination takes all of them.
    /// </summary>
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

    /// <summary>Whether there are as many ids as a vector compares.</summary>
    public static bool HasVector(ReadOnlySpan<ushort> ids) => Vector.IsHardwareAccelerated && ids.Length >= Vector<ushort>.Count;

    /// <summary>How many of the ids are at or below <paramref name="id"/>.</summary>
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

    /// <summary>
    /// 1 when <paramref name="id"/> is among the ids, else 0. There must be at least as many ids as a vector compares.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Holds(ReadOnlySpan<ushort> ids, ushort id)
    {
        ref ushort first = ref Unsafe.Add(ref MemoryMarshal.GetReference(ids), WindowOf(ids, id, out int size));
        int last = size - Vector<ushort>.Count;
        Vector<ushort> wanted = new(id), found = Vector.Equals(Vector.LoadUnsafe(ref first, (nuint)last), wanted);
        for (int at = 0; at < last; at += Vector<ushort>.Count)
            found |= Vector.Equals(Vector.LoadUnsafe(ref first, (nuint)at), wanted);
        return found != Vector<ushort>.Zero ? 1 : 0;
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

    /// <summary>Writes the lanes that are set, and returns how many. It always stores a whole vector.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Pack(Vector128<ushort> ids, Vector128<ushort> lanes, ref ushort to)
    {
        uint mask = lanes.ExtractMostSignificantBits();
        Pack(ids, mask).StoreUnsafe(ref to);
        return BitOperations.PopCount(mask);
    }

    /// <summary>The same for 256 bits: it may overwrite the length of a vector.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Pack(Vector256<ushort> ids, Vector256<ushort> lanes, ref ushort to)
    {
        if (Hardware.HasCompress512)
        {
            Avx512Vbmi2.VL.Compress(Vector256<ushort>.Zero, lanes, ids).StoreUnsafe(ref to);
            return BitOperations.PopCount(lanes.ExtractMostSignificantBits());
        }
        // One bit for each lane: the halves are narrowed to bytes first.
        uint mask = Vector128.NarrowWithSaturation(lanes.GetLower().AsInt16(), lanes.GetUpper().AsInt16()).ExtractMostSignificantBits();
        uint low = (byte)mask;
        Pack(ids.GetLower(), low).StoreUnsafe(ref to);
        Pack(ids.GetUpper(), mask >> 8).StoreUnsafe(ref to, (nuint)BitOperations.PopCount(low));
        return BitOperations.PopCount(mask);
    }

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
