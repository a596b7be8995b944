using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>Whether two blocks are equal behind the first masked window, which was: by the last window, or by the three others.</summary>
internal unsafe interface IBehindFirstWindow
{
    static abstract bool IsEqual(byte* left, byte* right, nint length, Vector256<byte> lanes);
}

/// <summary>Blocks up to <see cref="MaskedWindows.PairReach"/>.</summary>
internal readonly unsafe struct PairOfWindows : IBehindFirstWindow
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsEqual(byte* left, byte* right, nint length, Vector256<byte> lanes)
    {
        nint last = MaskedWindows.Last(length);
        return MaskedWindows.Load(left + last, lanes) == MaskedWindows.Load(right + last, lanes);
    }
}

/// <summary>Blocks up to <see cref="MaskedWindows.Reach"/>. The three are read at once: nothing here depends on the length by a branch.</summary>
internal readonly unsafe struct AllWindows : IBehindFirstWindow
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsEqual(byte* left, byte* right, nint length, Vector256<byte> lanes)
    {
        MaskedWindows.Offsets(length, out nint second, out nint third, out nint last);
        Vector256<byte> any =
            (MaskedWindows.Load(left + second, lanes) ^ MaskedWindows.Load(right + second, lanes))
            | (MaskedWindows.Load(left + third, lanes) ^ MaskedWindows.Load(right + third, lanes))
            | (MaskedWindows.Load(left + last, lanes) ^ MaskedWindows.Load(right + last, lanes));
        return any == Vector256<byte>.Zero;
    }
}
