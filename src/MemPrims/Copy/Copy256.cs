using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// Copy with AVX2, by length: to 64 bytes as on tier 128 (24 bytes: four windows of 16 in CopyWindows), 65–128 four windows of 32 bytes,
/// more by strides of 4 × 32 bytes.
/// </summary>
internal static unsafe class Copy256
{
    public static void Move(byte* destination, byte* source, nint length)
    {
        if (length <= 4 * Width128.Bytes) Copy128.Move(destination, source, length);
        else if (length <= 4 * Width256.Bytes) CopyWindows<Width256, Vector256<byte>>.Move(destination, source, length);
        else CopyStride<Width256, Vector256<byte>>.Move(destination, source, length);
    }
}
