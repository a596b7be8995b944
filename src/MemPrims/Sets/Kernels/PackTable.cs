namespace MemPrims.Sets;

// For each of 256 masks, the shuffle that moves the marked 16-bit lanes of 128 bits to the front. VBMI2 does the same by one instruction.
// The table takes 4 KiB.
internal static class PackTable
{
    private static readonly Vector128<byte>[] s_shuffles = [.. Enumerable.Range(0, 256).Select(Shuffle)];

    // The lanes whose bit is set in `mask`, which is below 256; zeros after them.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ushort> Pack(Vector128<ushort> ids, uint mask) =>
        Vector128.Shuffle(ids.AsByte(), Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(s_shuffles), mask)).AsUInt16();

    // Writes the lanes that are set, and returns how many. It always stores a whole vector.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Pack(Vector128<ushort> ids, Vector128<ushort> lanes, ref ushort to)
    {
        uint mask = lanes.ExtractMostSignificantBits();
        Pack(ids, mask).StoreUnsafe(ref to);
        return BitOperations.PopCount(mask);
    }

    // The same for 256 bits: it may overwrite the length of a vector.
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
