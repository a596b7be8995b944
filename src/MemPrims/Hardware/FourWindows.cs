using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// Blocks from one vector to four: four windows at 0, second, third and length − width, two counted from either end. They cover every
/// length between without a branch on it, overlapping as much as they have to.
/// </summary>
internal static class FourWindows
{
    /// <summary>Where the windows begin; the first is at 0. <paramref name="length"/> is from one to four times <paramref name="width"/>, a power of two.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Offsets(nint length, int width, out nint second, out nint third, out nint last)
    {
        second = ((length - 1) >> 1) & width;
        last = length - width;
        third = last - second;
    }
}
