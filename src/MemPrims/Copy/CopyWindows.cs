using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>Copies blocks from one vector to four by four windows (FourWindows): all are loaded before any is stored, so every overlap is right.</summary>
internal static unsafe class CopyWindows<TWidth, TVector> where TWidth : struct, IWidth<TVector> where TVector : struct
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Move(byte* destination, byte* source, nint length)
    {
        FourWindows.Offsets(length, TWidth.Bytes, out nint second, out nint third, out nint last);
        TVector a = TWidth.Load(source);
        TVector b = TWidth.Load(source + second);
        TVector c = TWidth.Load(source + third);
        TVector d = TWidth.Load(source + last);
        TWidth.Store(a, destination);
        TWidth.Store(b, destination + second);
        TWidth.Store(c, destination + third);
        TWidth.Store(d, destination + last);
    }
}
