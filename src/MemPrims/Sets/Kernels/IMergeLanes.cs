namespace MemPrims.Sets;

// A vector of sorted 16-bit ids at one width, as ArrayMerge needs it.
internal interface IMergeLanes<TVector>
{
    // The ids in a vector.
    static abstract int Count { get; }

    static abstract TVector Create(ushort value);

    static abstract unsafe TVector Load(ushort* from);

    // Loads the ids that are left, fewer than Count, followed by 65,535.
    static abstract unsafe TVector Load(ushort* from, nint left);

    // Merges two sorted vectors: the lower half stays in `low`, the upper half goes to `high`.
    static abstract void Merge(ref TVector low, ref TVector high);

    // The last lane of `before`, then all lanes of `after` but the last.
    static abstract TVector ShiftIn(TVector before, TVector after);

    // Writes the lanes of `ids` that differ from the same lane of both others, and returns how many. It always stores a whole vector.
    static abstract unsafe int PackDifferent(TVector ids, TVector left, TVector right, ushort* to);

    // The same for the lanes that are the same in the other.
    static abstract unsafe int PackSame(TVector ids, TVector other, ushort* to);
}

// 512 bits: 32 ids. It needs an instruction that packs 16-bit lanes (VBMI2), which Zen 4 and Ice Lake have.
internal readonly struct MergeLanes512 : IMergeLanes<Vector512<ushort>>
{
    public static bool IsSupported => Hardware.HasCompress512;

    public static int Count => Vector512<ushort>.Count;

    public static Vector512<ushort> Create(ushort value) => Vector512.Create(value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe Vector512<ushort> Load(ushort* from) => Vector512.Load(from);

    public static unsafe Vector512<ushort> Load(ushort* from, nint left) => Avx512BW.MaskLoad(from,
        Vector512.LessThan(Vector512<ushort>.Indices, Vector512.Create((ushort)left)), Vector512<ushort>.AllBitsSet);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Merge(ref Vector512<ushort> low, ref Vector512<ushort> high) => Network.Merge(ref low, ref high);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ushort> ShiftIn(Vector512<ushort> before, Vector512<ushort> after) =>
        Avx512BW.PermuteVar32x16x2(before, Vector512.Create((ushort)31) + Vector512<ushort>.Indices, after);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackDifferent(Vector512<ushort> ids, Vector512<ushort> left, Vector512<ushort> right, ushort* to) =>
        Pack(ids, ~Vector512.Equals(Vector512.Min(ids ^ left, ids ^ right), Vector512<ushort>.Zero), to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackSame(Vector512<ushort> ids, Vector512<ushort> other, ushort* to) =>
        Pack(ids, Vector512.Equals(ids, other), to);

    // Packs into a register and stores that: the form that packs into memory is slow microcode on AMD.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int Pack(Vector512<ushort> ids, Vector512<ushort> lanes, ushort* to)
    {
        Avx512Vbmi2.Compress(Vector512<ushort>.Zero, lanes, ids).Store(to);
        return BitOperations.PopCount(lanes.ExtractMostSignificantBits());
    }
}

// 128 bits: 8 ids, packed by a table of shuffles. The same on x64 and arm64.
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
    public static void Merge(ref Vector128<ushort> low, ref Vector128<ushort> high) => Network.Merge(ref low, ref high);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ushort> ShiftIn(Vector128<ushort> before, Vector128<ushort> after) =>
        Vector128.Shuffle(before, Vector128.Create((ushort)7, 8, 8, 8, 8, 8, 8, 8))
            | Vector128.Shuffle(after, Vector128.Create((ushort)8, 0, 1, 2, 3, 4, 5, 6));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackDifferent(Vector128<ushort> ids, Vector128<ushort> left, Vector128<ushort> right, ushort* to) =>
        PackTable.Pack(ids, ~(Vector128.Equals(ids, left) | Vector128.Equals(ids, right)), ref *to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe int PackSame(Vector128<ushort> ids, Vector128<ushort> other, ushort* to) =>
        PackTable.Pack(ids, Vector128.Equals(ids, other), ref *to);
}
