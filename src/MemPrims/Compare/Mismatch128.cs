using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// The first difference with 128-bit vectors (SSE2, AdvSimd), by length:
///
///    0–15  words (MismatchScalar)
///   16–64  four windows of 16 bytes: one class instead of the usual two (16–32, 33–64), so one unpredictable branch less
///    more  strides of 4 × 16 bytes
/// </summary>
internal static unsafe class Mismatch128
{
    public static nint Find(byte* left, byte* right, nint length)
    {
        if ((nuint)(length - Width128.Bytes) <= 3u * (uint)Width128.Bytes) return Windows<Width128, Vector128<byte>>.FirstDifference(left, right, length);
        if (length < Width128.Bytes) return FindShort(left, right, length);
        return Stride<Width128, Vector128<byte>>.FirstDifference(left, right, length);
    }

    // Out of line: it has the frame that the throwing path needs.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static nint FindShort(byte* left, byte* right, nint length) => MismatchScalar.FindShort(left, right, length);
}
