namespace MemPrims;

public static unsafe partial class Block
{
    /// <summary>Whether every byte of a block is zero.</summary>
    /// <param name="source">The block.</param>
    /// <param name="length">How many bytes.</param>
    /// <returns>True when all are zero, and for a length of 0.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="source"/>. Null is fine when the length is
    /// 0.</para>
    /// <para><b>Overlap.</b> There is one block only.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> The block stays mapped, and pinned if managed, until the call returns. Bytes that change meanwhile make
    /// the result stale, or that of no block there ever was, never a fault.</para>
    /// <para><b>Wrong length.</b> Too long reads past the block: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static bool IsZero(byte* source, nint length)
    {
        if (Hardware.Has512 && length >= 8 * Bytes512.Size) return Zeros512(source, length);
        if (Vector256.IsHardwareAccelerated && length >= Bytes256.Size) return Zeros<Bytes256>(source, length);
        if (Vector128.IsHardwareAccelerated && length >= Bytes128.Size) return Zeros<Bytes128>(source, length);
        if (length >= Bytes64.Size) return Zeros<Bytes64>(source, length);
        if (length >= sizeof(uint)) return (Load4(ref *source, 0) | Load4(ref *source, length - sizeof(uint))) == 0;
        if (length > 0) return ThreeBytes(ref *source, length) == 0;
        if (length < 0) Throw.NegativeLength(length);
        return true;
    }

    // Marked, since no 512-bit code is precompiled.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static bool Zeros512(byte* source, nint length) => Zeros<Bytes512>(source, length);

    // One vector and more: four a turn, then one, and the one that ends where the block ends.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool Zeros<TVector>(byte* source, nint length) where TVector : struct, IVector<TVector>
    {
        int width = TVector.Size;
        nint at = 0;
        for (; at <= length - 4 * width; at += 4 * width)
        {
            FourVectors<TVector> four = FourVectors<TVector>.Load(ref *source, at);
            TVector any = TVector.Either(TVector.Either(four.First, four.Second), TVector.Either(four.Third, four.Last));
            if (!TVector.IsZero(any)) return false;
        }
        for (; at < length - width; at += width)
            if (!TVector.IsZero(TVector.Load(ref *source, at))) return false;
        return TVector.IsZero(TVector.Load(ref *source, length - width));
    }
}
