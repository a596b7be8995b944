using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims;

/// <summary>
/// Up to 128 bytes as four masked windows of 32 bytes, without a branch on the length:
///
///   length    0–32: all four lie at 0, masked down to the length
///            33–64: at 0, 0, length − 32, length − 32
///           65–128: at 0, 32, length − 64, length − 32
///
/// With lengths that vary, the mispredicted branch is the cost (6 ns here, of 9 for the BCL); loading the same bytes again is not.
/// Up to 64 bytes the first and the last window do (ShortBlocks says when that is asked for). Windows of 64 bytes need only half as many,
/// and are slower: nearly every one crosses a cache line (figures: CompareCases, CopyCases).
///
/// A masked-off lane on an unmapped page gives the right answer but takes 300 ns. Lanes are masked off only in a block that is shorter
/// than one window, so it is enough that one window from its start stays on its page; <see cref="Fit(byte*, nint, int)"/> asks for that.
/// </summary>
internal static unsafe class MaskedWindows
{
    public const int Reach = 128, PairReach = 64;
    private const int Width = 32, PageBit = 4096;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fit(byte* block, nint length, int reach = Reach) => (nuint)length <= (uint)reach && (Ends(block) & PageBit) == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fit(byte* one, byte* other, nint length, int reach = Reach) => (nuint)length <= (uint)reach && ((Ends(one) | Ends(other)) & PageBit) == 0;

    /// <summary>The lanes of every window that belong to the block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<byte> Lanes(nint length) => Vector256.LessThan(Vector256<byte>.Indices, Vector256.Create((byte)length));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<byte> Load(byte* window, Vector256<byte> lanes) => Avx512BW.VL.MaskLoad(window, lanes, Vector256<byte>.Zero);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(byte* window, Vector256<byte> lanes, Vector256<byte> value) => Avx512BW.VL.MaskStore(window, lanes, value);

    /// <summary>Where the last window begins. Bit arithmetic, for the JIT makes branches of conditionals in loops.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nint Last(nint length)
    {
        nint beyond = length - Width;
        return beyond & ~(beyond >> 63);
    }

    /// <summary>Where the second, third and last window begin; the first is at 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Offsets(nint length, out nint second, out nint third, out nint last)
    {
        last = Last(length);
        second = ((length + Reach / 2 - 1) >> 2) & Width;
        third = last - second;
    }

    // Bit 12 is set when the window that begins here ends on the next page.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint Ends(byte* block) => ((nint)block + Width - 1) ^ (nint)block;
}
