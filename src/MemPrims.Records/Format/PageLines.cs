namespace MemPrims.Records.Format;

// A page as 64 lines of 64 bytes, one bit each: what was copied, what changed, what two copies have in common.
internal static unsafe class PageLines
{
    public const int Bytes = 64;
    public const ulong All = ulong.MaxValue, Header = 1;

    // The lines that hold some bytes of a page; at least one byte.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(int offset, int length) => (2UL << ((offset + length - 1) / Bytes)) - (1UL << (offset / Bytes));

    // Takes the first unbroken run of lines out of `lines`, which has one, and tells where in the page it is.
    public static (int Offset, int Length) TakeRun(ref ulong lines)
    {
        int first = BitOperations.TrailingZeroCount(lines), count = BitOperations.TrailingZeroCount(~(lines >> first));
        // The carry goes through the run and clears it. A run up to the last line carries out of the word: nothing is left.
        lines &= lines + (1UL << first);
        return (first * Bytes, count * Bytes);
    }

    public static void Copy(byte* from, byte* to, ulong lines)
    {
        while (lines != 0)
        {
            (int offset, int length) = TakeRun(ref lines);
            // By the runtime: the first commit of a process would else wait for Block's kernels to be compiled.
            new ReadOnlySpan<byte>(from + offset, length).CopyTo(new(to + offset, length));
        }
    }
}
