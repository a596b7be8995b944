namespace MemPrims;

// Whether a read past the end of a block stays on one page. Kernels read a whole vector from the start of a shorter block and drop the
// bits after its end. That is allowed on the page on which the block begins; the next page may not be there.
internal static unsafe class OnePage
{
    // The smallest page of any platform.
    private const nint Page = 4096;

    // Whether `bytes` bytes from the start of the block lie on one page.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Holds(byte* block, nint bytes) => ((nint)block & (Page - 1)) <= Page - bytes;

    // The same of two blocks. Two comparisons: joining both addresses for one of them was slower (CompareCases).
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Holds(byte* left, byte* right, nint bytes) => Holds(left, bytes) && Holds(right, bytes);
}
