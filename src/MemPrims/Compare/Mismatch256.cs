using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// The first difference with AVX2, by length: to 64 bytes as on tier 128, 65–128 four windows of 32 bytes, more by strides of 4 × 32 bytes.
/// </summary>
internal static unsafe class Mismatch256
{
    public static nint Find(byte* left, byte* right, nint length)
    {
        if (length <= 4 * Width128.Bytes) return Mismatch128.Find(left, right, length);
        if (length <= 4 * Width256.Bytes) return Windows<Width256, Vector256<byte>>.FirstDifference(left, right, length);
        return Stride<Width256, Vector256<byte>>.FirstDifference(left, right, length);
    }
}
