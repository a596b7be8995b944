using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// The dispatcher of the copy kernels. Each is right for every overlap: what fits in registers is loaded whole before anything is stored,
/// and longer blocks go forward or backward, away from the overlap.
///
///   tier 512  Copy512      ≤ 128 masked windows, then unmasked windows and strides of 64 bytes
///   tier 256  Copy256      windows of 16 and 32 bytes, then strides of 32
///   tier 128  Copy128      windows of 16 bytes, then strides of 16
///   scalar    CopyScalar   a branch table for 0–3 bytes, then words
///   libc      Libc         memmove
/// </summary>
internal static unsafe class Move
{
    // Around 64 KiB the runtime's copy is 1.2 to 1.3 times as fast as CopyStride, and beyond as fast; to 16 KiB it takes 1.3 to 1.6 times as long
    // (CopyCases, "copy, fixed"). Where the blocks overlap it is slower at every length.
    private const int RuntimeFrom = 32 * 1024;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void InTier(byte* destination, byte* source, nint length)
    {
        if (length >= RuntimeFrom && Overlap.IsNone(destination, source, length)) System.Buffer.MemoryCopy(source, destination, length, length);
        else if (Hardware.Has512) Copy512.Move(destination, source, length);
        else if (Vector256.IsHardwareAccelerated) Copy256.Move(destination, source, length);
        else if (Vector128.IsHardwareAccelerated) Copy128.Move(destination, source, length);
        else CopyScalar.Move(destination, source, length);
    }
}
