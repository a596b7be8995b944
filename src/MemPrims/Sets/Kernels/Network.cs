namespace MemPrims.Sets;

// The bitonic network: merges two sorted vectors. A sorted vector followed by another one in reverse order is a bitonic sequence.
// Lane-wise minimum and maximum divide it into a lower and an upper half, and exchanges at halved distances sort each half.
internal static class Network
{
    // The lower half stays in `low`, the upper half goes to `high`. For ids of 16 and of 32 bits.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Merge<T>(ref Vector512<T> low, ref Vector512<T> high) where T : unmanaged, IBinaryInteger<T>
    {
        Vector512<T> reversed = Unsafe.SizeOf<T>() == sizeof(ushort)
            ? Avx512BW.PermuteVar32x16(high.AsUInt16(), Vector512.Create((ushort)31) - Vector512<ushort>.Indices).As<ushort, T>()
            : Avx512F.PermuteVar16x32(high.AsUInt32(), Vector512.Create(15u) - Vector512<uint>.Indices).As<uint, T>();
        Vector512<T> lesser = Vector512.Min(low, reversed), greater = Vector512.Max(low, reversed);
        low = Sort(lesser);
        high = Sort(greater);
    }

    // As Merge<T>.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Merge(ref Vector128<ushort> low, ref Vector128<ushort> high)
    {
        Vector128<ushort> reversed = Vector128.Shuffle(high, Vector128.Create((ushort)7, 6, 5, 4, 3, 2, 1, 0));
        Vector128<ushort> lesser = Vector128.Min(low, reversed), greater = Vector128.Max(low, reversed);
        low = Sort(lesser);
        high = Sort(greater);
    }

    // The distances are 32, 16, 8 and 4 bytes, and 2 bytes for ids of 16 bits.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<T> Sort<T>(Vector512<T> ids) where T : unmanaged, IBinaryInteger<T>
    {
        ids = Exchange(ids, Avx512F.Shuffle4x128(ids.AsUInt32(), ids.AsUInt32(), 0b01_00_11_10).As<uint, T>(), 32 / Unsafe.SizeOf<T>());
        ids = Exchange(ids, Avx512F.Shuffle4x128(ids.AsUInt32(), ids.AsUInt32(), 0b10_11_00_01).As<uint, T>(), 16 / Unsafe.SizeOf<T>());
        ids = Exchange(ids, Avx512F.Shuffle(ids.AsUInt32(), 0b01_00_11_10).As<uint, T>(), 8 / Unsafe.SizeOf<T>());
        ids = Exchange(ids, Avx512F.Shuffle(ids.AsUInt32(), 0b10_11_00_01).As<uint, T>(), 4 / Unsafe.SizeOf<T>());
        return Unsafe.SizeOf<T>() > sizeof(ushort) ? ids : Exchange(ids, Avx512F.RotateLeft(ids.AsUInt32(), 16).As<uint, T>(), 1);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ushort> Sort(Vector128<ushort> ids)
    {
        ids = Exchange(ids, Vector128.Shuffle(ids, Vector128.Create((ushort)4, 5, 6, 7, 0, 1, 2, 3)), 4);
        ids = Exchange(ids, Vector128.Shuffle(ids, Vector128.Create((ushort)2, 3, 0, 1, 6, 7, 4, 5)), 2);
        return Exchange(ids, Vector128.Shuffle(ids, Vector128.Create((ushort)1, 0, 3, 2, 5, 4, 7, 6)), 1);
    }

    // The lesser of each pair where the bit of `distance` is clear in the lane's number, the greater where it is set.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<T> Exchange<T>(Vector512<T> ids, Vector512<T> partner, int distance) where T : unmanaged, IBinaryInteger<T>
    {
        // T.CreateTruncating would be a dozen methods to inline, and there are twenty exchanges in a turn of the merge.
        Vector512<T> bit = Unsafe.SizeOf<T>() == sizeof(ushort) ? Vector512.Create((ushort)distance).As<ushort, T>()
            : Vector512.Create((uint)distance).As<uint, T>();
        Vector512<T> isUpper = Vector512.Equals(Vector512<T>.Indices & bit, bit);
        return Vector512.ConditionalSelect(isUpper, Vector512.Max(ids, partner), Vector512.Min(ids, partner));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ushort> Exchange(Vector128<ushort> ids, Vector128<ushort> partner, ushort distance)
    {
        Vector128<ushort> isUpper = Vector128.Equals(Vector128<ushort>.Indices & Vector128.Create(distance), Vector128.Create(distance));
        return Vector128.ConditionalSelect(isUpper, Vector128.Max(ids, partner), Vector128.Min(ids, partner));
    }
}
