namespace MemPrims;

public static unsafe partial class Block
{
    /// <summary>Whether two blocks of the same length have the same bytes.</summary>
    /// <param name="left">One block.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <returns>True when every byte is the same, and for a length of 0.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para>Bytes past the end of a block may be read on the page on which it begins.</para>
    /// <inheritdoc cref="Compare(byte*, byte*, nint)" path="/remarks/node()"/>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Equal(byte* left, byte* right, nint length)
    {
        // Most blocks are equal and of any length: no branch depends on the length up to 64 bytes.
        if (Hardware.IsWhole512)
        {
            if ((nuint)(length - 1) < (nuint)Bytes512.Size && OnePage.Holds(left, right, Bytes512.Size))
                return MaskedAreEqual(left, right, length);
        }
        else if (Vector256.IsHardwareAccelerated && (nuint)(length - 1) < (nuint)(2 * Bytes256.Size)
            && OnePage.Holds(left, right, Bytes256.Size))
        {
            return CompareTiers.TwoAreEqual(left, right, length);
        }
        return length > LongestByWords ? CompareTiers.Above64<AreEqual, bool>(ref *left, ref *right, length, true)
            : length == 0 || EqualShort(left, right, length);
    }

    /// <summary>Whether two blocks have the same length and the same bytes.</summary>
    /// <param name="left">One block.</param>
    /// <param name="right">The other block.</param>
    /// <returns>True when they are the same.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Equal(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        if (left.Length != right.Length) return false;
        fixed (byte* l = &MemoryMarshal.GetReference(left), r = &MemoryMarshal.GetReference(right)) return Equal(l, r, left.Length);
    }

    // 1 to 64 bytes by one masked load of each block. The right answer would come without the test of the page, 0.7 ns sooner. But where
    // the masked-off part of a load lies on a page that is not in memory, the load takes 320 ns, and mapped files have such pages. Two
    // windows of 32 bytes take 2.2 ns in place of 2.5, and 25 in place of 21 where the blocks are not in the cache (Zen 5).
    // Marked, since no 512-bit code is precompiled; the JIT inlines it all the same.
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    private static bool MaskedAreEqual(byte* left, byte* right, nint length)
    {
        Vector512<byte> wanted = Vector512.LessThan(Vector512<byte>.Indices, Vector512.Create((byte)length));
        return Avx512BW.MaskLoad(left, wanted, Vector512<byte>.Zero) == Avx512BW.MaskLoad(right, wanted, Vector512<byte>.Zero);
    }

    // Up to 64 bytes: near the end of a page, or without 256-bit vectors. It reads the bytes of the blocks and none after them.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool EqualShort(byte* left, byte* right, nint length)
    {
        ref byte l = ref *left, r = ref *right;
        if (length >= 2 * sizeof(ulong))
            return Vector128.IsHardwareAccelerated ? FourAreEqual(ref l, ref r, length)
                : CompareLoops<Bytes64>.Inside<AreEqual, bool>(ref l, ref r, length, true);
        if (length >= sizeof(ulong)) return (
            (Load8(ref l, 0) ^ Load8(ref r, 0)) | (Load8(ref l, length - sizeof(ulong)) ^ Load8(ref r, length - sizeof(ulong)))) == 0;
        if (length >= sizeof(uint)) return (
            (Load4(ref l, 0) ^ Load4(ref r, 0)) | (Load4(ref l, length - sizeof(uint)) ^ Load4(ref r, length - sizeof(uint)))) == 0;
        if (length > 0) return ThreeBytes(ref l, length) == ThreeBytes(ref r, length);
        if (length < 0) Throw.NegativeLength(length);
        return true;
    }
}
