using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// Order, equality, difference, copy and fill of blocks of memory. Lengths are 64-bit. No routine writes outside the blocks that it was given. A routine may
/// read behind the end of a block, but only on a page on which the block itself has a byte.
/// </summary>
/// <remarks>
/// <para>
/// Order is asked in searches: the next load waits for the result, and most keys differ early or always at the same place. So Compare goes by words, big-endian
/// where they differ, and decides by branches that a predictor foresees:
/// </para>
/// <code>
///   0–3     three bytes, joined to one number
///   4–7     the first 4 bytes, then the last 4
///   8–15    the first 4, then the first 8, then the last 8
///   16–64   the first 4; are the last 8 equal, and all the rest (four windows of 16 bytes)? If not, words of 8 to the difference
///   more    the first 4, then FirstDifference.Above64
/// </code>
/// <para>The first 4 bytes are compared at the call site, the rest out of line. The figures of the designs that lost are in benchmarks, SearchCases.</para>
/// </remarks>
public static unsafe partial class Block
{
    private const int Half = sizeof(uint), Word = sizeof(ulong), LongestByWords = 64;

    /// <summary>Orders two blocks of the same length as unsigned bytes, as memcmp does.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <returns>A negative number, 0 or a positive number. Only the sign has a meaning.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="left"/> and from <paramref name="right"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns. Bytes that change meanwhile make the result stale, never a fault.</para>
    /// <para><b>Wrong length.</b> Too long reads past the blocks: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static int Compare(byte* left, byte* right, nint length)
    {
        if (length >= Half)
        {
            uint l = LoadHalf(ref *left, 0), r = LoadHalf(ref *right, 0);
            if (l != r) return Order(l, r);
            if (length > LongestByWords) return CompareLong(ref *left, length, ref *right, length);
        }
        return CompareRest(ref *left, length, ref *right, length);
    }

    /// <summary>As <see cref="Compare(byte*, byte*, nint)"/>, and tells where the blocks differ.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <param name="position">The first position at which they differ; <paramref name="length"/> when they are equal.</param>
    /// <returns>A negative number, 0 or a positive number. It is 0 exactly when <paramref name="position"/> is <paramref name="length"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="left"/> and from <paramref name="right"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns. Bytes that change meanwhile make the result stale, never a fault.</para>
    /// <para><b>Wrong length.</b> Too long reads past the blocks: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static int Compare(byte* left, byte* right, nint length, out nint position)
    {
        Difference first = FindDifference(left, right, length);
        position = first.Position;
        return first.Order(length);
    }

    /// <summary>Orders two blocks as unsigned bytes; of two that are equal as far as the shorter goes, the shorter is less.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <returns>A negative number, 0 or a positive number. Only the sign has a meaning.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static int Compare(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        ref byte leftStart = ref MemoryMarshal.GetReference(left), rightStart = ref MemoryMarshal.GetReference(right);
        // One branch for both lengths. The shorter of them is not asked for here: in a loop the JIT makes a branch of that, which random lengths mispredict.
        if (((left.Length - Half) | (right.Length - Half)) >= 0)
        {
            uint l = LoadHalf(ref leftStart, 0), r = LoadHalf(ref rightStart, 0);
            if (l != r) return Order(l, r);
        }
        return CompareRest(ref leftStart, left.Length, ref rightStart, right.Length);
    }

    // The first 4 bytes, where there are as many, were equal when they were looked at. They count as equal from then on.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static int CompareRest(ref byte left, nint leftLength, ref byte right, nint rightLength)
    {
        if (Backend.UsesLibc) return CompareByLibc(ref left, leftLength, ref right, rightLength);
        nint length = Math.Min(leftLength, rightLength), longer = leftLength - rightLength, last = length - Word;
        ulong l, r;
        if (length >= 2 * Word)
        {
            if (length > LongestByWords) return CompareLong(ref left, leftLength, ref right, rightLength);
            // In a search the last words differ nearly always, and that is foreseen: the windows are then not loaded for nothing.
            if (LoadWord(ref left, last) == LoadWord(ref right, last) && WindowsAreEqual(ref left, ref right, length)) return (int)longer;
            for (nint at = Half; at < last; at += Word)
            {
                (l, r) = (LoadWord(ref left, at), LoadWord(ref right, at));
                if (l != r) return Order(l, r);
            }
        }
        else if (length >= Word)
        {
            (l, r) = (LoadWord(ref left, 0), LoadWord(ref right, 0));
            if (l != r) return Order(l, r);
        }
        else
        {
            return CompareBelowWord(ref left, ref right, length, (int)longer);
        }
        (l, r) = (LoadWord(ref left, last), LoadWord(ref right, last));
        return l != r ? Order(l, r) : (int)longer;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool WindowsAreEqual(ref byte left, ref byte right, nint length)
    {
        // Without vectors the words do it alone.
        if (!Vector128.IsHardwareAccelerated) return false;
        FourVectors<Width128, Vector128<byte>>.Spread(length, out nint second, out nint third, out nint last);
        return FourVectors<Width128, Vector128<byte>>.Load(ref left, second, third, last)
            .Equals(FourVectors<Width128, Vector128<byte>>.Load(ref right, second, third, last));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CompareBelowWord(ref byte left, ref byte right, nint length, int longer)
    {
        if (length >= Half)
        {
            uint l = LoadHalf(ref left, length - Half), r = LoadHalf(ref right, length - Half);
            return l != r ? Order(l, r) : longer;
        }
        if (length > 0)
        {
            uint l = ThreeBytes(ref left, length), r = ThreeBytes(ref right, length);
            return l != r ? (int)(l - r) : longer;
        }
        if (length < 0) Throw.NegativeLength(length);
        return longer;
    }

    // Above 64 bytes. It takes the same arguments as CompareRest, so that the call from there is a jump and needs no stack frame.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static int CompareLong(ref byte left, nint leftLength, ref byte right, nint rightLength)
    {
        if (Backend.UsesLibc) return CompareByLibc(ref left, leftLength, ref right, rightLength);
        int order = FirstDifference.Above64<WhichIsGreater, int>(ref left, ref right, Math.Min(leftLength, rightLength));
        return order != 0 ? order : (int)(leftLength - rightLength);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CompareByLibc(ref byte left, nint leftLength, ref byte right, nint rightLength)
    {
        fixed (byte* l = &left, r = &right)
        {
            int order = Libc.Compare(l, r, Math.Min(leftLength, rightLength));
            return order != 0 ? order : (int)(leftLength - rightLength);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Order(ulong left, ulong right) => BinaryPrimitives.ReverseEndianness(left) < BinaryPrimitives.ReverseEndianness(right) ? -1 : 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Order(uint left, uint right) => BinaryPrimitives.ReverseEndianness(left) < BinaryPrimitives.ReverseEndianness(right) ? -1 : 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong LoadWord(ref byte block, nint offset) => Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref block, offset));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint LoadHalf(ref byte block, nint offset) => Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref block, offset));

    // The first, middle and last of 1 to 3 bytes, in their order: bytes that are read twice stand behind themselves.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint ThreeBytes(ref byte block, nint length) =>
        (uint)block << 16 | (uint)Unsafe.Add(ref block, length >> 1) << 8 | Unsafe.Add(ref block, length - 1);
}
