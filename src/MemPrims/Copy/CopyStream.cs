namespace MemPrims;

// Copies blocks that do not overlap by stores past the cache. The start, up to the first whole cache line of the destination, and what is
// left at the end go through the cache. Prefetching 4 KiB ahead changed nothing (1.22 to 1.36 of Buffer.MemoryCopy with it, 1.26 without).
// Wider vectors would not help: a line leaves when it is full, and the memory takes longer than the stores.
internal static unsafe class CopyStream
{
    private const int Line = 64, LinesPerTurn = 4;

    // `length` is at least one turn and a line.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Copy(byte* destination, byte* source, nint length)
    {
        Debug.Assert(length >= LinesPerTurn * Line + Line, "The block has a turn and a line.");
        nint head = Line - ((nint)destination & (Line - 1));
        Block.Copy(destination, source, head);
        nint i = head;
        for (; i <= length - LinesPerTurn * Line; i += LinesPerTurn * Line)
            for (int at = 0; at < LinesPerTurn * Line; at += Vector128<byte>.Count)
                Vector128.Load(source + i + at).StoreAlignedNonTemporal(destination + i + at);
        Block.Copy(destination + i, source + i, length - i);
        Fence();
    }

    // Stores past the cache are not ordered with those after them.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Fence()
    {
        if (Sse.IsSupported) Sse.StoreFence();
        else Thread.MemoryBarrier();
    }
}
