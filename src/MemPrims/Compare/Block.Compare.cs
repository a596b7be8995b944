using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// Order, equality, difference, copy and fill of blocks of memory. Lengths are <c>nint</c>: 64 bits. No routine writes outside the blocks
/// that it was given. A routine may read behind the end of a block, but only on the page on which the block begins.
/// </summary>
/// <remarks>
/// <para>
/// Order is asked in searches. There the next load waits for the result, and most keys differ early or always at the same place. So
/// Compare reads words of 8 bytes. Two words that differ are turned to big-endian and compared as numbers. Its branches are those that a
/// predictor foresees:
/// </para>
/// <code>
///   0       equal
///   1–3     the first, the middle and the last byte, joined to one number
///   4–7     the first 4 bytes, then the last 4
///   8–15    the first 4, then the first 8, then the last 8
///   16–64   the first 4. When the last 8 are equal: four windows of 16 bytes over the block. When anything differs: word by word
///   more    the first 4, then vectors
/// </code>
/// <para>The first 4 bytes are compared at the call site, the rest out of line.</para>
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
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="left"/> and from <paramref name="right"/>. Null
    /// is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns. Bytes that change meanwhile make
    /// the result stale, never a fault.</para>
    /// <para><b>Wrong length.</b> Too long reads past the blocks: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static int Compare(byte* left, byte* right, nint length)
    {
        if (length >= Half)
        {
            uint l = LoadHalf(ref *left, 0), r = LoadHalf(ref *right, 0);
            if (l != r) return Order(l, r);
            if (length > LongestByWords) return CompareLong(ref *left, ref *right, length, 0);
        }
        return CompareShort(ref *left, ref *right, length, 0);
    }

    /// <summary>As <see cref="Compare(byte*, byte*, nint)"/>, and tells where the blocks differ.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <param name="position">The first position at which they differ; <paramref name="length"/> when they are equal.</param>
    /// <returns>A negative number, 0 or a positive number. It is 0 exactly when <paramref name="position"/> is
    /// <paramref name="length"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="left"/> and from <paramref name="right"/>. Null
    /// is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns. Bytes that change meanwhile make
    /// the result stale, never a fault.</para>
    /// <para><b>Wrong length.</b> Too long reads past the blocks: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static int Compare(byte* left, byte* right, nint length, out nint position)
    {
        Difference first = FirstDifference.Find(left, right, length);
        position = first.Position;
        return first.Order(length);
    }

    /// <summary>Orders two blocks as unsigned bytes. Where one block starts with all of the other, the shorter is less.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <returns>A negative number, 0 or a positive number. Only the sign has a meaning.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static int Compare(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        ref byte l = ref MemoryMarshal.GetReference(left), r = ref MemoryMarshal.GetReference(right);
        // The shorter length by arithmetic: in a loop the JIT makes a branch of Math.Min, and random lengths mispredict it.
        int longer = left.Length - right.Length, length = right.Length + (longer & (longer >> 31));
        if (length >= Half)
        {
            uint leftHalf = LoadHalf(ref l, 0), rightHalf = LoadHalf(ref r, 0);
            if (leftHalf != rightHalf) return Order(leftHalf, rightHalf);
            if (length > LongestByWords) return CompareLong(ref l, ref r, length, longer);
        }
        return CompareShort(ref l, ref r, length, longer);
    }

    // Up to 64 bytes. The first 4, where there are as many, were equal when they were looked at; they count as equal from then on.
    // It is not marked NoInlining. The JIT makes no jump of the last call of a method that is, so each of them would need a stack frame.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static int CompareShort(ref byte left, ref byte right, nint length, int same)
    {
        if (Backend.UsesLibc) return CompareByLibc(ref left, ref right, length, same);
        nint last = length - Word;
        if (length >= 2 * Word)
        {
            // In a search the last words differ nearly always, and that is foreseen: the windows are then not loaded for nothing.
            if (Vector128.IsHardwareAccelerated && LoadWord(ref left, last) == LoadWord(ref right, last)
                && WindowsAreEqual(ref left, ref right, length)) return same;
            for (nint at = Half; at < last; at += Word)
            {
                ulong l = LoadWord(ref left, at), r = LoadWord(ref right, at);
                if (l != r) return Order(l, r);
            }
        }
        else if (length >= Word)
        {
            ulong l = LoadWord(ref left, 0), r = LoadWord(ref right, 0);
            if (l != r) return Order(l, r);
        }
        else if (length >= Half)
        {
            uint l = LoadHalf(ref left, length - Half), r = LoadHalf(ref right, length - Half);
            return l != r ? Order(l, r) : same;
        }
        else if (length > 0)
        {
            uint l = ThreeBytes(ref left, length), r = ThreeBytes(ref right, length);
            return l != r ? (int)(l - r) : same;
        }
        else
        {
            return length == 0 ? same : CompareNegative(length);
        }
        ulong lastLeft = LoadWord(ref left, last), lastRight = LoadWord(ref right, last);
        return lastLeft != lastRight ? Order(lastLeft, lastRight) : same;
    }

    // Above 64 bytes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CompareLong(ref byte left, ref byte right, nint length, int same) => Backend.UsesLibc
        ? CompareByLibc(ref left, ref right, length, same)
        : FirstDifference.Above64<WhichIsGreater, int>(ref left, ref right, length, same);

    // 16 to 64 bytes by four windows of 16.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool WindowsAreEqual(ref byte left, ref byte right, nint length)
    {
        FourVectors<Width128, Vector128<byte>>.Spread(length, out nint second, out nint third, out nint last);
        return FourVectors<Width128, Vector128<byte>>.Load(ref left, second, third, last)
            .Equals(FourVectors<Width128, Vector128<byte>>.Load(ref right, second, third, last));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CompareNegative(nint length)
    {
        Throw.NegativeLength(length);
        return 0;
    }

    // memcmp reads a byte that differs a second time. When another thread has changed it meanwhile, memcmp says 0 of blocks that were
    // never equal. So a 0 is not believed: the kernels of the tier look again.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CompareByLibc(ref byte left, ref byte right, nint length, int same)
    {
        fixed (byte* l = &left, r = &right)
        {
            int order = Libc.Compare(l, r, length);
            if (order == 0) order = FirstDifference.Find(l, r, length).Order(length);
            return order != 0 ? order : same;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Order(ulong left, ulong right) =>
        BinaryPrimitives.ReverseEndianness(left) < BinaryPrimitives.ReverseEndianness(right) ? -1 : 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Order(uint left, uint right) =>
        BinaryPrimitives.ReverseEndianness(left) < BinaryPrimitives.ReverseEndianness(right) ? -1 : 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong LoadWord(ref byte block, nint offset) => Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref block, offset));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint LoadHalf(ref byte block, nint offset) => Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref block, offset));

    // The first, middle and last of 1 to 3 bytes, in their order: bytes that are read twice stand behind themselves.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint ThreeBytes(ref byte block, nint length) =>
        (uint)block << 16 | (uint)Unsafe.Add(ref block, length >> 1) << 8 | Unsafe.Add(ref block, length - 1);
}
