using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// Copy with AVX-512, by length:
///
///     0–128  four masked windows of 32 bytes (MaskedWindows); near the end of a page, as on tier 256
///   129–256  four windows of 64 bytes, two from either end
///      more  strides of 4 × 64 bytes, destination aligned (CopyStride)
/// </summary>
internal static unsafe class Copy512
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Move(byte* destination, byte* source, nint length)
    {
        if (length > 4 * Width512.Bytes) CopyStride<Width512, Vector512<byte>>.Move(destination, source, length);
        else if (length > MaskedWindows.Reach) CopyWindows<Width512, Vector512<byte>>.Move(destination, source, length);
        else if (MaskedWindows.Fit(destination, source, length)) MoveMasked(destination, source, length);
        else Copy256.Move(destination, source, length);
    }

    /// <summary>Up to 64 bytes that fit.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void MovePair(byte* destination, byte* source, nint length)
    {
        Vector256<byte> lanes = MaskedWindows.Lanes(length);
        nint last = MaskedWindows.Last(length);
        Vector256<byte> a = MaskedWindows.Load(source, lanes);
        Vector256<byte> b = MaskedWindows.Load(source + last, lanes);
        MaskedWindows.Store(destination, lanes, a);
        MaskedWindows.Store(destination + last, lanes, b);
    }

    /// <summary>Up to 128 bytes that fit (<see cref="MaskedWindows.Fit(byte*, byte*, nint, int)"/>).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void MoveMasked(byte* destination, byte* source, nint length)
    {
        Vector256<byte> lanes = MaskedWindows.Lanes(length);
        MaskedWindows.Offsets(length, out nint second, out nint third, out nint last);
        Vector256<byte> a = MaskedWindows.Load(source, lanes);
        Vector256<byte> b = MaskedWindows.Load(source + second, lanes);
        Vector256<byte> c = MaskedWindows.Load(source + third, lanes);
        Vector256<byte> d = MaskedWindows.Load(source + last, lanes);
        MaskedWindows.Store(destination, lanes, a);
        MaskedWindows.Store(destination + second, lanes, b);
        MaskedWindows.Store(destination + third, lanes, c);
        MaskedWindows.Store(destination + last, lanes, d);
    }
}
