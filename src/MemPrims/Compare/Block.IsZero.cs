namespace MemPrims;

public static unsafe partial class Block
{
    /// <summary>Whether every byte of a block is zero.</summary>
    /// <param name="source">The block.</param>
    /// <param name="length">How many bytes.</param>
    /// <returns>True when all are zero, and for a length of 0.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="source"/>, and bytes past their end on the page
    /// on which the block begins. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> There is one block only.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> The block stays mapped, and pinned if managed, until the call returns.</para>
    /// <para><b>Wrong length.</b> Too long reads past the block: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static bool IsZero(byte* source, nint length)
    {
        if (Hardware.Has512 && length >= 8 * Bytes512.Size)
            return Zeros512(source, length);
        if (Vector256.IsHardwareAccelerated) return Zeros<Bytes256>(source, length);
        if (Vector128.IsHardwareAccelerated) return Zeros<Bytes128>(source, length);
        return Zeros<Bytes64>(source, length);
    }

    /// <summary>Whether every byte of a span is zero.</summary>
    /// <param name="source">The span.</param>
    /// <returns>True when all are zero, and for an empty span.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(ReadOnlySpan<byte> source)
    {
        fixed (byte* from = &MemoryMarshal.GetReference(source)) return IsZero(from, source.Length);
    }

    // Marked, since no 512-bit code is precompiled.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static bool Zeros512(byte* source, nint length) => Zeros<Bytes512>(source, length);

    // Up to two vectors by two that may overlap, as in Equal; then four vectors a turn, and the vector that ends where the block ends.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool Zeros<TVector>(byte* source, nint length) where TVector : struct, IVector<TVector>
    {
        int width = TVector.Size;
        if (length <= 2 * width)
        {
            if (length <= 0)
            {
                if (length < 0) Throw.NegativeLength(length);
                return true;
            }
            return OnePage.Holds(source, width) ? CompareLoops<TVector>.TwoAreZero(source, length)
                : ZerosNearPageEnd(source, length);
        }
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool ZerosNearPageEnd(byte* source, nint length)
    {
        ulong any = 0;
        for (; length >= sizeof(ulong); source += sizeof(ulong), length -= sizeof(ulong)) any |= Load8(ref *source, 0);
        for (nint i = 0; i < length; i++) any |= source[i];
        return any == 0;
    }
}
