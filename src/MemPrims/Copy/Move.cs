namespace MemPrims;

// Copies a block. One method is one tier; this table says what runs for which length (CopyInRegisters copies what fits in registers,
// CopyLoop the rest):
//
//   tier      words of 1, 2, 4 or 8    four vectors     129–256                      257 and more: four vectors
//             bytes from either end    over the block                                a turn, the stores aligned
//   512       0–16                     17–64, of 16     four vectors of 64 over it,  513 and more, of 64 bytes
//                                      65–128, of 32    257–512: eight of 64
//   256       0–16                     17–64, of 16     eight vectors of 32,         of 32 bytes
//                                      65–128, of 32    four from either end
//   128       0–16                     17–64, of 16     65–128: eight of 16          129 and more, of 16 bytes
//   scalar    0–16                     17–32, of 8      33–64: eight of 8            65 and more, of 8 bytes
//
// A processor that splits 512-bit registers (Hardware.Splits512) does as tier 256 below 2 KiB. From 32 KiB on, 8 KiB on some processors,
// the runtime's own copy takes over where the blocks do not overlap (RuntimeFrom). Block.Copy has 8–64 bytes at the call site. What fits
// in registers is loaded whole before anything is stored, so every overlap is right.
internal static unsafe class Move
{
    // Around 64 KiB the runtime's copy is 1.2 to 1.3 times as fast as CopyLoop, and beyond as fast; to 16 KiB it takes 1.3 to 1.6 times
    // as long (CopyCases, "copy, fixed", Zen 5). Where the blocks overlap it is slower at every length.
    private const int RuntimeFrom = 32 * 1024;

    // Cascade Lake and its like copy 16 KiB by `rep movsb`, which the runtime's copy ends in, in 0.58 of the time, and 4 KiB in the same
    // (CopyCases, "copy, fixed"). No feature bit that the JIT knows says so; AVX2 without 512 bits and without AVX-VNNI comes nearest.
    private const int RuntimeFromWithoutVnni = 8 * 1024;

    private static int FromRuntime
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Hardware.Has512 || !Avx2.IsSupported || Vnni.IsThere ? RuntimeFrom : RuntimeFromWithoutVnni;
    }

    // Below this, 64-byte vectors lose where they are split in two: on Zen 4 at 400 and at 1,000 bytes. Where they are whole, they win
    // from 129 bytes on (CopyCases, "copy, sizes"; Zen 5).
    private const int Split512From = 2048;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void InTier(ref byte destination, ref byte source, nint length)
    {
        if (Hardware.Has512) Move512(ref destination, ref source, length);
        else if (Vector256.IsHardwareAccelerated) Move256(ref destination, ref source, length);
        else if (Vector128.IsHardwareAccelerated) MoveBy<Bytes128>(ref destination, ref source, length);
        else MoveBy<Bytes64>(ref destination, ref source, length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Move512(ref byte destination, ref byte source, nint length)
    {
        if (length <= 4 * Bytes256.Size || (Hardware.Splits512 && length < Split512From))
            Move256(ref destination, ref source, length);
        else By512(ref destination, ref source, length);
    }

    // Marked, since no 512-bit code is precompiled.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static void By512(ref byte destination, ref byte source, nint length)
    {
        if (length <= 4 * Bytes512.Size) CopyInRegisters.Four<Bytes512>(ref destination, ref source, length);
        else if (length <= 8 * Bytes512.Size) CopyInRegisters.Eight<Bytes512>(ref destination, ref source, length);
        else if (length < FromRuntime || !ByRuntime(ref destination, ref source, length))
            CopyLoop<Bytes512>.Copy(ref destination, ref source, length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Move256(ref byte destination, ref byte source, nint length)
    {
        if (length <= CopyInRegisters.LongestByWords) CopyInRegisters.ByWords(ref destination, ref source, length);
        else if (length <= 4 * Bytes128.Size) CopyInRegisters.Four<Bytes128>(ref destination, ref source, length);
        else if (length <= 4 * Bytes256.Size) CopyInRegisters.Four<Bytes256>(ref destination, ref source, length);
        else if (length <= 8 * Bytes256.Size) CopyInRegisters.Eight<Bytes256>(ref destination, ref source, length);
        else Long<Bytes256>(ref destination, ref source, length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void MoveBy<TVector>(ref byte destination, ref byte source, nint length) where TVector : struct, IVector<TVector>
    {
        if (length <= CopyInRegisters.LongestByWords) CopyInRegisters.ByWords(ref destination, ref source, length);
        else if (length <= 4 * TVector.Size) CopyInRegisters.Four<TVector>(ref destination, ref source, length);
        else if (length <= 8 * TVector.Size) CopyInRegisters.Eight<TVector>(ref destination, ref source, length);
        else Long<TVector>(ref destination, ref source, length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Long<TVector>(ref byte destination, ref byte source, nint length) where TVector : struct, IVector<TVector>
    {
        if (length < FromRuntime || !ByRuntime(ref destination, ref source, length))
            CopyLoop<TVector>.Copy(ref destination, ref source, length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool ByRuntime(ref byte destination, ref byte source, nint length)
    {
        nint distance = Unsafe.ByteOffset(ref source, ref destination);
        if ((nuint)distance < (nuint)length || (nuint)(-distance) < (nuint)length) return false;
        fixed (byte* d = &destination, s = &source) System.Buffer.MemoryCopy(s, d, length, length);
        return true;
    }

    // A class of its own. As a field of Hardware it would make Native AOT ask in every copy whether that class is computed.
    private static class Vnni
    {
        public static readonly bool IsThere = AvxVnni.IsSupported;
    }
}
