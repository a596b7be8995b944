using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>A vector of sorted 16-bit ids at one width, as <see cref="ArrayMerge"/> needs it.</summary>
internal interface IMergeLanes<TVector>
{
    /// <summary>The ids in a vector.</summary>
    static abstract int Count { get; }

    static abstract TVector Create(ushort value);

    static abstract unsafe TVector Load(ushort* from);

    /// <summary>Loads the ids that are left, fewer than <see cref="Count"/>, followed by 65,535.</summary>
    static abstract unsafe TVector Load(ushort* from, nint left);

    /// <summary>
    /// Loads ids as sort keys: the lower 15 bits of each, doubled, plus the side (0 or 1).
    /// </summary>
    static abstract unsafe TVector LoadOfSide(ushort* from, ushort side);

    /// <summary>The same for the ids that are left, fewer than <see cref="Count"/>, followed by 65,535.</summary>
    static abstract unsafe TVector LoadOfSide(ushort* from, nint left, ushort side);

    /// <summary>
    /// Merges two sorted vectors: the lower half stays in <paramref name="low"/>, the upper half goes to <paramref name="high"/>.
    /// </summary>
    static abstract void Merge(ref TVector low, ref TVector high);

    /// <summary>The last lane of <paramref name="before"/>, then all lanes of <paramref name="after"/> but the last.</summary>
    static abstract TVector ShiftIn(TVector before, TVector after);

    /// <summary>
    /// Writes the lanes of <paramref name="ids"/> that differ from the same lane of <paramref name="other"/>, and returns how many. It
    /// always stores a whole vector.
    /// </summary>
    static abstract unsafe int PackDifferent(TVector ids, TVector other, ushort* to);

    /// <summary>The same for the lanes that are the same in both.</summary>
    static abstract unsafe int PackSame(TVector ids, TVector other, ushort* to);

    /// <summary>The same for the lanes that differ from both others.</summary>
    static abstract unsafe int PackDifferent(TVector ids, TVector left, TVector right, ushort* to);

    /// <summary>
    /// Writes the ids of side 0 that are not followed by the same id of side 1, with <paramref name="highest"/> above their 15 bits, and
    /// returns how many. Overwrites a whole vector.
    /// </summary>
    static abstract unsafe int PackFirstSide(TVector ids, TVector next, TVector highest, ushort* to);

    /// <summary>
    /// Writes the edges of <see cref="Count"/> ids, which have a neighbour on both sides, and returns how many. Overwrites two vectors.
    /// </summary>
    static abstract int PackEdges(ref ushort ids, ref ushort to);
}

/// <summary>512 bits: 32 ids. It needs an instruction that packs 16-bit lanes (VBMI2), which Zen 4 and Ice Lake have.</summary>
internal readonly struct MergeLanes512 : IMergeLanes<Vector512<ushort>>
{
    public static bool IsSupported => Hardware.HasCompress512;

    public static int Count => Vector512<ushort>.Count;

    public static Vector512<ushort> Create(ushort value) => Vector512.Create(value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe Vector512<ushort> Load(ushort* from) => Vector512.Load(from);

    public static unsafe Vector512<ushort> Load(ushort* from, nint left) =>
        Avx512BW.MaskLoad(from, Lanes(left), Vector512<ushort>.AllBitsSet);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe Vector512<ushort> LoadOfSide(ushort* from, ushort side) => (Vector512.Load(from) << 1) | Vector512.Create(side);

    public static unsafe Vector512<ushort> LoadOfSide(ushort* from, nint left, ushort side)
    {
        Vector512<ushort> lanes = Lanes(left);
        return (Avx512BW.MaskLoad(from, lanes, Vector512<ushort>.Zero) << 1) | Vector512.Create(side) | ~lanes;
    }

    private static Vector512<ushort> Lanes(nint count) => Vector512.LessThan(Vector512<ushort>.Indices, Vector512.Create((ushort)count));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Merge(ref Vector512<ushort> low, ref Vector512<ushort> high) => Network.Merge(ref low, ref high);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ushort> ShiftIn(Vector512<ushort> before, Vector512<ushort> after) =>
        Avx512BW.PermuteVar32x16x2(before, Vector512.Create((ushort)31) + Vector512<ushort>.Indices, after);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackSame(Vector512<ushort> ids, Vector512<ushort> other, ushort* to) =>
        Pack(ids, Vector512.Equals(ids, other), to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackDifferent(Vector512<ushort> ids, Vector512<ushort> other, ushort* to) =>
        Pack(ids, ~Vector512.Equals(ids, other), to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackDifferent(Vector512<ushort> ids, Vector512<ushort> left, Vector512<ushort> right, ushort* to) =>
        Pack(ids, ~Vector512.Equals(Vector512.Min(ids ^ left, ids ^ right), Vector512<ushort>.Zero), to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int PackEdges(ref ushort ids, ref ushort to)
    {
        Vector512<ushort> one = Vector512<ushort>.One, starts = Vector512.LoadUnsafe(ref ids), ends = starts + one;
        Vector512<ushort> noStart = Vector512.Equals(starts, Vector512.LoadUnsafe(ref Unsafe.Subtract(ref ids, 1)) + one);
        Vector512<ushort> noEnd = Vector512.Equals(ends, Vector512.LoadUnsafe(ref ids, 1));
        int low = PackZipped(starts.GetLower(), noStart.GetLower(), noEnd.GetLower(), ref to);
        return low + PackZipped(starts.GetUpper(), noStart.GetUpper(), noEnd.GetUpper(), ref Unsafe.Add(ref to, low));
    }

    // Puts each id and the id after it side by side, and leaves out those that are no edge.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe int PackZipped(Vector256<ushort> starts, Vector256<ushort> noStart, Vector256<ushort> noEnd, ref ushort to)
    {
        Vector512<uint> wide = Avx512F.ConvertToVector512UInt32(starts), no = Avx512F.ConvertToVector512UInt32(noStart)
            | Avx512F.ConvertToVector512UInt32(noEnd) << 16;
        wide += (wide << 16) + Vector512.Create(1u << 16);
        Vector512<ushort> lanes = ~no.AsUInt16();
        Avx512Vbmi2.Compress(Vector512<ushort>.Zero, lanes, wide.AsUInt16()).StoreUnsafe(ref to);
        return BitOperations.PopCount(lanes.ExtractMostSignificantBits());
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackFirstSide(Vector512<ushort> ids, Vector512<ushort> next, Vector512<ushort> highest, ushort* to)
    {
        Vector512<ushort> one = Vector512<ushort>.One, isOut = Vector512.Equals(ids & one, one) | Vector512.Equals(ids ^ next, one);
        return Pack((ids >>> 1) | highest, ~isOut, to);
    }

    // Packs into a register and stores that: the form that packs into memory is slow microcode on AMD.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int Pack(Vector512<ushort> ids, Vector512<ushort> lanes, ushort* to)
    {
        Avx512Vbmi2.Compress(Vector512<ushort>.Zero, lanes, ids).Store(to);
        return BitOperations.PopCount(lanes.ExtractMostSignificantBits());
    }
}

/// <summary>128 bits: 8 ids, packed by a table of shuffles. The same on x64 and arm64.</summary>
internal readonly struct MergeLanes128 : IMergeLanes<Vector128<ushort>>
{
    public static int Count => Vector128<ushort>.Count;

    public static Vector128<ushort> Create(ushort value) => Vector128.Create(value);

    public static unsafe Vector128<ushort> Load(ushort* from) => Vector128.Load(from);

    public static unsafe Vector128<ushort> Load(ushort* from, nint left)
    {
        ushort* padded = stackalloc ushort[Vector128<ushort>.Count];
        Vector128<ushort>.AllBitsSet.Store(padded);
        for (nint i = 0; i < left; i++) padded[i] = from[i];
        return Vector128.Load(padded);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe Vector128<ushort> LoadOfSide(ushort* from, ushort side) => (Vector128.Load(from) << 1) | Vector128.Create(side);

    public static unsafe Vector128<ushort> LoadOfSide(ushort* from, nint left, ushort side)
    {
        Vector128<ushort> isPadding = Vector128.GreaterThanOrEqual(Vector128<ushort>.Indices, Vector128.Create((ushort)left));
        return (Load(from, left) << 1) | Vector128.Create(side) | isPadding;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackFirstSide(Vector128<ushort> ids, Vector128<ushort> next, Vector128<ushort> highest, ushort* to)
    {
        Vector128<ushort> one = Vector128<ushort>.One, isOut = Vector128.Equals(ids & one, one) | Vector128.Equals(ids ^ next, one);
        return Pack((ids >>> 1) | highest, ~isOut, to);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Merge(ref Vector128<ushort> low, ref Vector128<ushort> high) => Network.Merge(ref low, ref high);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ushort> ShiftIn(Vector128<ushort> before, Vector128<ushort> after) =>
        Vector128.Shuffle(before, Vector128.Create((ushort)7, 8, 8, 8, 8, 8, 8, 8))
            | Vector128.Shuffle(after, Vector128.Create((ushort)8, 0, 1, 2, 3, 4, 5, 6));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackSame(Vector128<ushort> ids, Vector128<ushort> other, ushort* to) =>
        Pack(ids, Vector128.Equals(ids, other), to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackDifferent(Vector128<ushort> ids, Vector128<ushort> other, ushort* to) =>
        Pack(ids, ~Vector128.Equals(ids, other), to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackDifferent(Vector128<ushort> ids, Vector128<ushort> left, Vector128<ushort> right, ushort* to) =>
        Pack(ids, ~(Vector128.Equals(ids, left) | Vector128.Equals(ids, right)), to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int PackEdges(ref ushort ids, ref ushort to)
    {
        Vector128<ushort> one = Vector128<ushort>.One, starts = Vector128.LoadUnsafe(ref ids), ends = starts + one;
        Vector128<ushort> noStart = Vector128.Equals(starts, Vector128.LoadUnsafe(ref Unsafe.Subtract(ref ids, 1)) + one);
        Vector128<ushort> noEnd = Vector128.Equals(ends, Vector128.LoadUnsafe(ref ids, 1));
        // Puts each id and the id after it side by side, and leaves out those that are no edge.
        (Vector128<uint> low, Vector128<uint> high) = Vector128.Widen(starts);
        (Vector128<uint> lowStart, Vector128<uint> highStart) = Vector128.Widen(noStart);
        (Vector128<uint> lowEnd, Vector128<uint> highEnd) = Vector128.Widen(noEnd);
        Vector128<uint> behind = Vector128.Create(1u << 16);
        uint lowMask = ~(lowStart | lowEnd << 16).AsUInt16().ExtractMostSignificantBits() & byte.MaxValue;
        uint highMask = ~(highStart | highEnd << 16).AsUInt16().ExtractMostSignificantBits() & byte.MaxValue;
        PackTable.Pack((low + (low << 16) + behind).AsUInt16(), lowMask).StoreUnsafe(ref to);
        int written = BitOperations.PopCount(lowMask);
        PackTable.Pack((high + (high << 16) + behind).AsUInt16(), highMask).StoreUnsafe(ref to, (nuint)written);
        return written + BitOperations.PopCount(highMask);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe int Pack(Vector128<ushort> ids, Vector128<ushort> lanes, ushort* to)
    {
        uint mask = lanes.ExtractMostSignificantBits();
        PackTable.Pack(ids, mask).Store(to);
        return BitOperations.PopCount(mask);
    }
}
