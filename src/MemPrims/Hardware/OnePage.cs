using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// Whether a read past the end of a block stays on one page. Kernels read a whole vector from the start of a shorter block and drop the
/// bits behind its end. That is allowed on the page on which the block begins; the next page may not be there.
/// </summary>
internal static unsafe class OnePage
{
    /// <summary>The smallest page of any platform. This bit of an address changes from one page to the next.</summary>
    private const nint Page = 4096;

    /// <summary>Whether <paramref name="bytes"/> bytes from the start of the block lie on one page.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Holds(byte* block, nint bytes) => (Crossing(block, bytes) & Page) == 0;

    /// <summary>The same of two blocks.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Holds(byte* left, byte* right, nint bytes) => ((Crossing(left, bytes) | Crossing(right, bytes)) & Page) == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint Crossing(byte* block, nint bytes) => ((nint)block + bytes - 1) ^ (nint)block;
}
