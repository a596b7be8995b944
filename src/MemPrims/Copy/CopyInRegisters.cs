namespace MemPrims;

// Copies what fits in registers: all of it is loaded before any of it is stored, so every overlap is right. The store that covers the
// start of the block comes last, so that a load of the first word, which often follows, gets it from that store.
internal static class CopyInRegisters
{
    // 16 bytes are two words: the runtime's copy stores words there too, and a word is forwarded to a load sooner than a part of a vector.
    public const int LongestByWords = 2 * sizeof(ulong);

    // Up to 16 bytes, and the error for a negative length.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void ByWords(ref byte destination, ref byte source, nint length)
    {
        if (length >= sizeof(ulong)) EndsOf8(ref destination, ref source, length - sizeof(ulong));
        else if (length > 0) BelowWord(ref destination, ref source, length);
        else if (length < 0) Throw.NegativeLength(length);
    }

    // 1 to 7 bytes. One length at a call site is foreseen by the predictor.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void BelowWord(ref byte destination, ref byte source, nint length)
    {
        Debug.Assert(length is > 0 and < sizeof(ulong), "The block is shorter than a word.");
        if (length >= sizeof(uint)) EndsOf4(ref destination, ref source, length - sizeof(uint));
        else if (length >= sizeof(ushort)) EndsOf2(ref destination, ref source, length - sizeof(ushort));
        else destination = source;
    }

    // From one vector to four.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Four<TVector>(ref byte destination, ref byte source, nint length) where TVector : struct, IVector<TVector>
    {
        FourVectors<TVector>.Spread(length, out nint second, out nint third, out nint last);
        FourVectors<TVector>.Load(ref source, second, third, last).Store(ref destination, second, third, last);
    }

    // From four vectors to eight.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Eight<TVector>(ref byte destination, ref byte source, nint length) where TVector : struct, IVector<TVector>
    {
        Debug.Assert(length >= 4 * TVector.Size && length <= 8 * TVector.Size, "The block has four to eight vectors.");
        nint tail = length - 4 * TVector.Size;
        FourVectors<TVector> front = FourVectors<TVector>.Load(ref source, 0);
        FourVectors<TVector> back = FourVectors<TVector>.Load(ref source, tail);
        back.Store(ref destination, tail);
        front.Store(ref destination, 0);
    }

    // One word from the start and one that ends where the block ends. Written out for each word, so that a first copy does not depend on
    // which generic methods the precompiler takes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void EndsOf8(ref byte destination, ref byte source, nint last)
    {
        ulong front = Unsafe.ReadUnaligned<ulong>(ref source), back = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref source, last));
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref destination, last), back);
        Unsafe.WriteUnaligned(ref destination, front);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void EndsOf4(ref byte destination, ref byte source, nint last)
    {
        uint front = Unsafe.ReadUnaligned<uint>(ref source), back = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref source, last));
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref destination, last), back);
        Unsafe.WriteUnaligned(ref destination, front);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void EndsOf2(ref byte destination, ref byte source, nint last)
    {
        ushort front = Unsafe.ReadUnaligned<ushort>(ref source), back = Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref source, last));
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref destination, last), back);
        Unsafe.WriteUnaligned(ref destination, front);
    }
}
