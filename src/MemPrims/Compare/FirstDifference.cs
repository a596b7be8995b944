using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// Finds the first difference of two blocks. One method is one tier; this table says what runs for which length (Windows has the loops):
///
///   tier      two windows that may    four windows    strides of      strides of
///             end behind the block    inside it       four windows    four windows
///   512       1–64, of 32 bytes       65–128          129–2047        2048 and more, of 64 bytes
///   256       1–64, of 32 bytes       65–128          129 and more
///   128       1–32, of 16 bytes       33–64           65 and more
///   scalar    1–16, of 8 bytes        17–32           33 and more
///
/// A block whose first window would leave its page is compared word by word instead (NearPageEnd).
/// Block.Compare and Block.Equal decide most short blocks before they come here.
/// </summary>
internal static unsafe class FirstDifference
{
    /// <summary>From here on 64-byte vectors win on Zen 5. Below some 2 KiB they lost on Zen 4; there this threshold is not measured.</summary>
    private const int Stride512From = 2048;

    /// <summary>The first difference, by the tier of this machine. A negative length throws.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference Find(byte* left, byte* right, nint length) =>
        Hardware.Has512 ? Find512(left, right, length)
        : Vector256.IsHardwareAccelerated ? Find256(left, right, length)
        : Vector128.IsHardwareAccelerated ? Find128(left, right, length)
        : FindScalar(left, right, length);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static Difference Find512(byte* left, byte* right, nint length) => length >= Stride512From
        ? Windows<Width512, Vector512<byte>>.Stride(ref *left, ref *right, length)
        : AnyLength<Width256, Vector256<byte>>(left, right, length);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static Difference Find256(byte* left, byte* right, nint length) => AnyLength<Width256, Vector256<byte>>(left, right, length);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static Difference Find128(byte* left, byte* right, nint length) => AnyLength<Width128, Vector128<byte>>(left, right, length);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static Difference FindScalar(byte* left, byte* right, nint length) => AnyLength<WidthWord, ulong>(left, right, length);

    /// <summary>As <see cref="Find"/>, for blocks of more than 64 bytes: nothing is read behind them, so they need not be pinned.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference FindAbove64(ref byte left, ref byte right, nint length)
    {
        if (Hardware.Has512 && length >= Stride512From) return Windows<Width512, Vector512<byte>>.Stride(ref left, ref right, length);
        if (Vector256.IsHardwareAccelerated) return FromFour<Width256, Vector256<byte>>(ref left, ref right, length);
        if (Vector128.IsHardwareAccelerated) return FromFour<Width128, Vector128<byte>>(ref left, ref right, length);
        return FromFour<WidthWord, ulong>(ref left, ref right, length);
    }

    /// <summary>Whether two blocks of more than 64 bytes are equal; the lengths are those of <see cref="FindAbove64"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool AreEqualAbove64(ref byte left, ref byte right, nint length)
    {
        if (Hardware.Has512 && length >= Stride512From) return Windows<Width512, Vector512<byte>>.StrideIsEqual(ref left, ref right, length);
        if (Vector256.IsHardwareAccelerated)
        {
            return length <= 4 * Width256.Bytes
                ? Windows<Width256, Vector256<byte>>.FourAreEqual(ref left, ref right, length)
                : Windows<Width256, Vector256<byte>>.StrideIsEqual(ref left, ref right, length);
        }
        return FindAbove64(ref left, ref right, length).Position == length;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Difference AnyLength<TWidth, TVector>(byte* left, byte* right, nint length) where TWidth : struct, IWidth<TVector> where TVector : struct
    {
        if (length > 2 * TWidth.Bytes) return FromFour<TWidth, TVector>(ref *left, ref *right, length);
        if (length > 0) return OnePage.Holds(left, right, TWidth.Bytes) ? Windows<TWidth, TVector>.Two(left, right, length) : NearPageEnd(left, right, length);
        if (length < 0) Throw.NegativeLength(length);
        return Difference.None(length);
    }

    // Two vectors and more.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Difference FromFour<TWidth, TVector>(ref byte left, ref byte right, nint length) where TWidth : struct, IWidth<TVector> where TVector : struct =>
        length <= 4 * TWidth.Bytes ? Windows<TWidth, TVector>.Four(ref left, ref right, length) : Windows<TWidth, TVector>.Stride(ref left, ref right, length);

    // One short block in a hundred comes here. Only the bytes of the blocks are read, each of them once.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static Difference NearPageEnd(byte* left, byte* right, nint length)
    {
        if (length >= WidthWord.Bytes) return FromFour<WidthWord, ulong>(ref *left, ref *right, length);
        ulong l = 0, r = 0;
        for (nint i = 0; i < length; i++)
        {
            l |= (ulong)left[i] << (int)(i * 8);
            r |= (ulong)right[i] << (int)(i * 8);
        }
        return l == r ? Difference.None(length) : Difference.At(0, WidthWord.DifferentBytes(l, r), WidthWord.GreaterBytes(l, r));
    }
}
