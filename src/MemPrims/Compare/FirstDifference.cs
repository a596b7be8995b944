using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// Compares two blocks of any length. One method is one tier; this table says what runs for which length (Windows has the loops):
///
///   tier      two windows that may    four windows over    two vectors a turn    four vectors a turn,
///             end behind the block    the block                                  aligned
///   512       1–64, of 32 bytes       65–128, of 32;       257–2047, of 64       2048 and more, of 64
///                                     129–256, of 64
///   256       1–64, of 32 bytes       65–128, of 32        129–2047, of 32       2048 and more, of 32
///   128       1–32, of 16 bytes       33–64, of 16         65–2047, of 16        2048 and more, of 16
///   scalar    1–16, of 8 bytes        17–32, of 8          33–2047, of 8         2048 and more, of 8
///
/// A processor that splits 512-bit registers (Hardware.Splits512) has 32-byte vectors in place of 64-byte ones below 2 KiB.
/// A block whose first window would leave its page is compared word by word instead (NearPageEnd).
/// Block.Compare and Block.Equal decide most short blocks before they come here.
/// </summary>
internal static unsafe class FirstDifference
{
    /// <summary>
    /// From here on 64-byte vectors are faster, where the processor does them whole. At 100 bytes they take 2.3 ns and 32-byte ones 1.9;
    /// at 200 bytes 3.5 and 5.1 (Zen 5).
    /// </summary>
    private const int Wide512From = 129;

    // A constant for the JIT, but only where it is inlined: as a call it took 1 ns of every compare.
    private static int From512
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Hardware.Splits512 ? Windows<Width512, Vector512<byte>>.StrideFrom : Wide512From;
    }

    /// <summary>The first difference, by the tier of this machine. A negative length throws.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference Find(byte* left, byte* right, nint length) =>
        Hardware.Has512 ? Find512(left, right, length)
        : Vector256.IsHardwareAccelerated ? Find256(left, right, length)
        : Vector128.IsHardwareAccelerated ? Find128(left, right, length)
        : FindScalar(left, right, length);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static Difference Find512(byte* left, byte* right, nint length) => length >= From512
        ? Windows<Width512, Vector512<byte>>.Inside<WhereTheyDiffer, Difference>(ref *left, ref *right, length, Difference.None(length))
        : AnyLength<Width256, Vector256<byte>>(left, right, length);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static Difference Find256(byte* left, byte* right, nint length) => AnyLength<Width256, Vector256<byte>>(left, right, length);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static Difference Find128(byte* left, byte* right, nint length) => AnyLength<Width128, Vector128<byte>>(left, right, length);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static Difference FindScalar(byte* left, byte* right, nint length) => AnyLength<WidthWord, ulong>(left, right, length);

    /// <summary>The answer for blocks of more than 64 bytes. Nothing is read behind them, so they need not be pinned.</summary>
    /// <param name="left">One block.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <param name="same">The answer where no byte differs.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static TResult Above64<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        if (Hardware.Has512 && length >= From512)
            return Windows<Width512, Vector512<byte>>.Inside<TAnswer, TResult>(ref left, ref right, length, same);
        if (Vector256.IsHardwareAccelerated)
            return Windows<Width256, Vector256<byte>>.Inside<TAnswer, TResult>(ref left, ref right, length, same);
        if (Vector128.IsHardwareAccelerated)
            return Windows<Width128, Vector128<byte>>.Inside<TAnswer, TResult>(ref left, ref right, length, same);
        return Windows<WidthWord, ulong>.Inside<TAnswer, TResult>(ref left, ref right, length, same);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Difference AnyLength<TWidth, TVector>(byte* left, byte* right, nint length)
        where TWidth : struct, IWidth<TVector> where TVector : struct => length > 2 * TWidth.Bytes
            ? Windows<TWidth, TVector>.Inside<WhereTheyDiffer, Difference>(ref *left, ref *right, length, Difference.None(length))
            : Short<TWidth, TVector>(left, right, length);

    // Up to two vectors.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Difference Short<TWidth, TVector>(byte* left, byte* right, nint length) where TWidth : struct, IWidth<TVector>
        where TVector : struct
    {
        if (length > 0) return OnePage.Holds(left, right, TWidth.Bytes) ? Windows<TWidth, TVector>.Two(left, right, length)
            : NearPageEnd(left, right, length);
        if (length < 0) Throw.NegativeLength(length);
        return Difference.None(length);
    }

    // One short block in a hundred comes here. Only the bytes of the blocks are read, each of them once.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static Difference NearPageEnd(byte* left, byte* right, nint length)
    {
        if (length >= 2 * WidthWord.Bytes)
            return Windows<WidthWord, ulong>.Inside<WhereTheyDiffer, Difference>(ref *left, ref *right, length, Difference.None(length));
        for (nint at = 0; at < length; at += WidthWord.Bytes)
        {
            nint count = Math.Min(length - at, WidthWord.Bytes);
            ulong l = Gather(left + at, count), r = Gather(right + at, count);
            if (l != r) return Difference.At(at, WidthWord.DifferentBytes(l, r), WidthWord.GreaterBytes(l, r));
        }
        return Difference.None(length);
    }

    private static ulong Gather(byte* bytes, nint count)
    {
        ulong word = 0;
        for (nint i = 0; i < count; i++) word |= (ulong)bytes[i] << (int)(i * 8);
        return word;
    }
}
