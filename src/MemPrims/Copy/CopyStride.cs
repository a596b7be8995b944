using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// Copies blocks longer than four vectors: up to eight by four from either end, all loaded before any is stored; more by four at a time with the destination aligned, forward when the destination lies below the source
/// or apart from it, backward when it lies inside. The vectors at both ends are loaded before the first store and stored after the
/// last: the loop may then overwrite them in the source, at any distance.
/// </summary>
internal static unsafe class CopyStride<TWidth, TVector> where TWidth : struct, IWidth<TVector> where TVector : struct
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Move(byte* destination, byte* source, nint length)
    {
        if (length <= 8 * TWidth.Bytes) MoveEight(destination, source, length);
        else if ((nuint)(destination - source) >= (nuint)length) Forward(destination, source, length);
        else Backward(destination, source, length);
    }

    private static void MoveEight(byte* destination, byte* source, nint length)
    {
        nint tail = length - 4 * TWidth.Bytes;
        Four first = Four.Load(source), last = Four.Load(source + tail);
        first.Store(destination);
        last.Store(destination + tail);
    }

    private static void Forward(byte* destination, byte* source, nint length)
    {
        int width = TWidth.Bytes;
        nint tail = length - 4 * width;
        TVector first = TWidth.Load(source);
        Four last = Four.Load(source + tail);
        for (nint i = width - ((nint)destination & (width - 1)); i < tail; i += 4 * width)
            Four.Load(source + i).Store(destination + i);
        last.Store(destination + tail);
        TWidth.Store(first, destination);
    }

    private static void Backward(byte* destination, byte* source, nint length)
    {
        int width = TWidth.Bytes;
        TVector last = TWidth.Load(source + length - width);
        Four first = Four.Load(source);
        for (nint i = length - (((nint)destination + length) & (width - 1)); i > 4 * width; i -= 4 * width)
            Four.Load(source + i - 4 * width).Store(destination + i - 4 * width);
        first.Store(destination);
        TWidth.Store(last, destination + length - width);
    }

    private readonly struct Four(TVector a, TVector b, TVector c, TVector d)
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static Four Load(byte* source) =>
            new(TWidth.Load(source), TWidth.Load(source + TWidth.Bytes), TWidth.Load(source + 2 * TWidth.Bytes), TWidth.Load(source + 3 * TWidth.Bytes));

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Store(byte* destination)
        {
            TWidth.Store(a, destination);
            TWidth.Store(b, destination + TWidth.Bytes);
            TWidth.Store(c, destination + 2 * TWidth.Bytes);
            TWidth.Store(d, destination + 3 * TWidth.Bytes);
        }
    }
}
