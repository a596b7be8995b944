namespace MemPrims;

/// <summary>
/// Order, equality, difference, copy and fill of blocks of memory. Lengths are <c>nint</c>: 64 bits. No routine writes outside the blocks
/// that it was given. A routine may read past the end of a block, but only on the page on which the block begins.
/// </summary>
/// <remarks>
/// <para>
/// Every routine may be called by any number of threads at once, and none keeps anything. Bytes that another thread changes meanwhile
/// make an answer stale, and nothing worse.
/// </para>
/// <para>
/// Order is asked in searches. There the next load waits for the result, and most keys differ early or always at the same place. So
/// the branches of Compare are those that a predictor foresees. Two words that differ are turned to big-endian and compared as numbers:
/// </para>
/// <code>
///   0       equal
///   1–3     the first, the middle and the last byte, joined to one number
///   4–7     the first 4 bytes, then the last 4
///   8–15    the first 4, then the first 8, then the last 8
///   16–64   the first 4. When the last 8 are equal: four vectors of 16 bytes over the block. When anything differs: with vectors of
///           32 bytes two windows of 16, or 32 bytes a turn; without them word by word
///   65–128  as 16–64 without the four, where there are vectors of 32 bytes and those of 64 are not whole; else as more
///   more    the first 4, then vectors (CompareLoops); where those of 64 bytes are whole, the first of them alone
/// </code>
/// <para>The first 4 bytes are compared at the call site, the rest out of line.</para>
/// </remarks>
public static unsafe partial class Block
{
    private const int LongestByWords = 64;

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
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* left, byte* right, nint length) =>
        Backend.UsesLibc ? CompareByLibc(ref *left, ref *right, length, 0)
            : InOrder<WhichIsGreater, int>(ref *left, ref *right, length, 0);

    /// <summary>As <see cref="Compare(byte*, byte*, nint)"/>, and tells where the blocks differ.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <param name="position">The first position at which they differ; <paramref name="length"/> when they are equal.</param>
    /// <returns>A negative number, 0 or a positive number. It is 0 exactly when <paramref name="position"/> is
    /// <paramref name="length"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <inheritdoc cref="Compare(byte*, byte*, nint)" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* left, byte* right, nint length, out nint position)
    {
        Difference first = InOrder<WhereTheyDiffer, Difference>(ref *left, ref *right, length, Difference.None(length));
        position = first.Position;
        return first.Order(length);
    }

    /// <summary>Orders two blocks as unsigned bytes. Where one block starts with all of the other, the shorter is less.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <returns>A negative number, 0 or a positive number. Only the sign has a meaning.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        ref byte l = ref MemoryMarshal.GetReference(left), r = ref MemoryMarshal.GetReference(right);
        // The shorter length by arithmetic: in a loop the JIT makes a branch of Math.Min, and random lengths mispredict it.
        int longer = left.Length - right.Length, length = right.Length + (longer & (longer >> 31));
        return Backend.UsesLibc ? CompareByLibc(ref l, ref r, length, longer) : InOrder<WhichIsGreater, int>(ref l, ref r, length, longer);
    }

    // The one way to order: what stands at the call site. `same` is the answer where no byte differs.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static TResult InOrder<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IOrderAnswer<TResult>
    {
        if (length >= sizeof(uint))
        {
            uint l = Load4(ref left, 0), r = Load4(ref right, 0);
            if (l != r) return TAnswer.OfWords(0, l, r);
        }
        return InOrderOutOfLine<TAnswer, TResult>(ref left, ref right, length, same);
    }

    // The first 4 bytes, where there are as many, were equal when they were looked at; they count as equal from then on.
    // It is not marked NoInlining. The JIT makes no jump of the last call of a method that is, so each of them would need a stack frame.
    private static TResult InOrderOutOfLine<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IOrderAnswer<TResult>
    {
        if (length > CompareTiers.LongestOf16)
            return CompareTiers.Long<TAnswer, TResult>(ref left, ref right, length, same);
        if (length >= 2 * sizeof(ulong))
        {
            nint last = length - sizeof(ulong);
            // In a search the last words differ nearly always, and that is foreseen: the vectors are then not loaded for nothing. The
            // length is asked after them, since random lengths mispredict it.
            if (Vector128.IsHardwareAccelerated && Load8(ref left, last) == Load8(ref right, last)
                && length <= 4 * Bytes128.Size && FourAreEqual(ref left, ref right, length)) return same;
            if (Vector256.IsHardwareAccelerated) return CompareTiers.From16<TAnswer, TResult>(ref left, ref right, length, same);
            for (nint at = sizeof(uint); at < last; at += sizeof(ulong))
            {
                ulong l = Load8(ref left, at), r = Load8(ref right, at);
                if (l != r) return TAnswer.OfWords(at, l, r);
            }
            ulong lastLeft = Load8(ref left, last), lastRight = Load8(ref right, last);
            return lastLeft != lastRight ? TAnswer.OfWords(last, lastLeft, lastRight) : same;
        }
        if (length >= sizeof(ulong))
        {
            ulong l = Load8(ref left, 0), r = Load8(ref right, 0);
            if (l != r) return TAnswer.OfWords(0, l, r);
            l = Load8(ref left, length - sizeof(ulong));
            r = Load8(ref right, length - sizeof(ulong));
            return l != r ? TAnswer.OfWords(length - sizeof(ulong), l, r) : same;
        }
        if (length >= sizeof(uint))
        {
            uint l = Load4(ref left, length - sizeof(uint)), r = Load4(ref right, length - sizeof(uint));
            return l != r ? TAnswer.OfWords(length - sizeof(uint), l, r) : same;
        }
        if (length > 0)
        {
            uint l = ThreeBytes(ref left, length), r = ThreeBytes(ref right, length);
            return l != r ? TAnswer.OfThreeBytes(length, l, r) : same;
        }
        return length == 0 ? same : NegativeLength(length, same);
    }

    // 16 to 64 bytes by four vectors of 16, as FourVectors does. Written out: so the JIT loads half of them within the comparison.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool FourAreEqual(ref byte left, ref byte right, nint length)
    {
        nint second = ((length - 1) >> 1) & Bytes128.Size, last = length - Bytes128.Size, third = last - second;
        return (((Load16(ref left, 0) ^ Load16(ref right, 0)) | (Load16(ref left, second) ^ Load16(ref right, second)))
            | ((Load16(ref left, third) ^ Load16(ref right, third)) | (Load16(ref left, last) ^ Load16(ref right, last))))
            == Vector128<byte>.Zero;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<byte> Load16(ref byte block, nint offset) => Vector128.LoadUnsafe(ref block, (nuint)offset);

    // A jump to it keeps its caller free of a stack frame.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static TResult NegativeLength<TResult>(nint length, TResult same)
    {
        Throw.NegativeLength(length);
        return same;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Load8(ref byte block, nint offset) => Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref block, offset));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Load4(ref byte block, nint offset) => Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref block, offset));

    // The first, middle and last of 1 to 3 bytes, in their order: a byte that is read twice follows itself.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint ThreeBytes(ref byte block, nint length) =>
        (uint)block << 16 | (uint)Unsafe.Add(ref block, length >> 1) << 8 | Unsafe.Add(ref block, length - 1);
}
