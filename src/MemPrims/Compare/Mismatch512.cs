using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// The first difference with AVX-512, by length:
///
///     0–128  four masked windows of 32 bytes (MaskedWindows); near the end of a page, as on tier 256
///   129–256  four windows of 64 bytes, two from either end
///      more  strides of 4 × 64 bytes, left operand aligned (Stride)
/// </summary>
internal static unsafe class Mismatch512
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nint Find(byte* left, byte* right, nint length)
    {
        if (length > 4 * Width512.Bytes) return Stride<Width512, Vector512<byte>>.FirstDifference(left, right, length);
        if (length > MaskedWindows.Reach) return Windows<Width512, Vector512<byte>>.FirstDifference(left, right, length);
        return MaskedWindows.Fit(left, right, length) ? FindMasked(left, right, length) : Mismatch256.Find(left, right, length);
    }

    /// <summary>Up to 128 bytes that fit (<see cref="MaskedWindows.Fit(byte*, byte*, nint, int)"/>).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nint FindMasked(byte* left, byte* right, nint length)
    {
        Vector256<byte> lanes = MaskedWindows.Lanes(length);
        uint first = DifferentBytes(left, right, lanes);
        if (first != 0) return BitOperations.TrailingZeroCount(first);
        MaskedWindows.Offsets(length, out nint second, out nint third, out nint last);
        ulong nearer = (ulong)DifferentBytes(left + second, right + second, lanes) << (int)second;
        ulong farther = DifferentBytes(left + third, right + third, lanes) | (ulong)DifferentBytes(left + last, right + last, lanes) << (int)second;
        if ((nearer | farther) == 0) return length;
        // No branch on where it is: the nearer half has none when its count of zeros is 64.
        nint near = BitOperations.TrailingZeroCount(nearer), none = -(near >> 6);
        return (near & ~none) | ((third + BitOperations.TrailingZeroCount(farther)) & none);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint DifferentBytes(byte* left, byte* right, Vector256<byte> lanes) =>
        (uint)Width256.DifferentBytes(MaskedWindows.Load(left, lanes), MaskedWindows.Load(right, lanes));
}
