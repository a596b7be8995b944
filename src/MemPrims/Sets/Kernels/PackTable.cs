namespace MemPrims.Sets;

// For each of 256 masks, the shuffle that moves the marked 16-bit lanes of 128 bits to the front: a table of 4 KiB. Of the four ids of 64
// bits in 256, another one of half a KiB moves all at once. AVX-512 does the same by one instruction.
internal static class PackTable
{
    private static readonly Vector256<uint>[] s_moves = [.. Enumerable.Range(0, 16).Select(static mask =>
        Vector256.WidenLower(Vector256.WidenLower(Halves(mask, 0).ToVector256())))];
    private static readonly Vector128<byte>[] s_shuffles = [.. Enumerable.Range(0, 256).Select(static mask =>
        Halves(mask, byte.MaxValue))];

    // The lanes whose bit is set in `mask`, which is below 256; zeros after them.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ushort> Pack(Vector128<ushort> ids, uint mask) =>
        Vector128.Shuffle(ids.AsByte(), Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(s_shuffles), mask)).AsUInt16();

    // Writes the lanes that are set, and returns how many. It always stores a whole vector. Ids of 32 and 64 bits are two or four lanes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Pack<T>(Vector128<T> ids, Vector128<T> lanes, ref T to)
    {
        uint mask = lanes.AsUInt16().ExtractMostSignificantBits();
        Pack(ids.AsUInt16(), mask).StoreUnsafe(ref Unsafe.As<T, ushort>(ref to));
        return BitOperations.PopCount(mask) / (Unsafe.SizeOf<T>() / sizeof(ushort));
    }

    // The same for 256 bits: it may overwrite the length of a vector. AVX-512 packs into a register, which is stored then: the form that
    // packs into memory is slow microcode on AMD.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Pack<T>(Vector256<T> ids, Vector256<T> lanes, ref T to)
    {
        if (Unsafe.SizeOf<T>() == sizeof(ushort) ? Hardware.HasCompress512 : Avx512F.VL.IsSupported)
        {
            Vector256<byte> packed = Unsafe.SizeOf<T>() switch
            {
                sizeof(ushort) => Avx512Vbmi2.VL.Compress(Vector256<ushort>.Zero, lanes.AsUInt16(), ids.AsUInt16()).AsByte(),
                sizeof(uint) => Avx512F.VL.Compress(Vector256<uint>.Zero, lanes.AsUInt32(), ids.AsUInt32()).AsByte(),
                _ => Avx512F.VL.Compress(Vector256<ulong>.Zero, lanes.AsUInt64(), ids.AsUInt64()).AsByte(),
            };
            packed.StoreUnsafe(ref Unsafe.As<T, byte>(ref to));
            return BitOperations.PopCount(lanes.ExtractMostSignificantBits());
        }
        if (Unsafe.SizeOf<T>() == sizeof(ulong) && Avx2.IsSupported)
        {
            uint four = lanes.AsUInt64().ExtractMostSignificantBits();
            Avx2.PermuteVar8x32(ids.AsUInt32(), Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(s_moves), four)).As<uint, T>()
                .StoreUnsafe(ref to);
            return BitOperations.PopCount(four);
        }
        // One bit for each 16 bits: the halves are narrowed to bytes first.
        uint mask = Vector128.NarrowWithSaturation(lanes.GetLower().AsInt16(), lanes.GetUpper().AsInt16()).ExtractMostSignificantBits();
        uint low = (byte)mask;
        ref ushort at = ref Unsafe.As<T, ushort>(ref to);
        Pack(ids.GetLower().AsUInt16(), low).StoreUnsafe(ref at);
        Pack(ids.GetUpper().AsUInt16(), mask >> 8).StoreUnsafe(ref at, (nuint)BitOperations.PopCount(low));
        return BitOperations.PopCount(mask) / (Unsafe.SizeOf<T>() / sizeof(ushort));
    }

    // The halves of the lanes that are set in a mask, one after the other, and `rest` in the places after them.
    private static Vector128<byte> Halves(int mask, byte rest)
    {
        byte[] halves = new byte[16];
        Array.Fill(halves, rest);
        for (int lane = 0, to = 0; lane < 8; lane++)
        {
            if ((mask >> lane & 1) == 0) continue;
            halves[to++] = (byte)(2 * lane);
            halves[to++] = (byte)(2 * lane + 1);
        }
        return Vector128.Create(halves);
    }
}
