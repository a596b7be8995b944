using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// Copy with 128-bit vectors (SSE2, AdvSimd), by length: 0–15 words (CopyScalar), 16–64 four windows of 16 bytes,
/// more by strides of 4 × 16 bytes.
/// </summary>
internal static unsafe class Copy128
{
    public static void Move(byte* destination, byte* source, nint length)
    {
        if ((nuint)(length - Width128.Bytes) <= 3u * (uint)Width128.Bytes) CopyWindows<Width128, Vector128<byte>>.Move(destination, source, length);
        else if (length < Width128.Bytes) MoveShort(destination, source, length);
        else CopyStride<Width128, Vector128<byte>>.Move(destination, source, length);
    }

    // Out of line: it has the frame that the throwing path needs.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MoveShort(byte* destination, byte* source, nint length) => CopyScalar.MoveShort(destination, source, length);
}
