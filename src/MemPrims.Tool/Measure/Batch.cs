namespace MemPrims.Tool.Measure;

// A routine over two blocks that gives a number. A struct of it makes the batch's loop a loop of that routine, without a call by delegate.
public unsafe interface IBlockRoutine
{
    // One call. Where bytes are copied, left is the destination. The number depends on the result.
    static abstract long Run(byte* left, byte* right, nint length);
}

// The loop around a routine: alike for all contenders, and all it does besides is to add the results.
public static unsafe class Batch
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Of<TRoutine>(BlockPairs pairs) where TRoutine : struct, IBlockRoutine
    {
        long sum = 0;
        byte* left = pairs.LeftArena, right = pairs.RightArena;
        for (BlockPair* pair = pairs.First, end = pairs.End; pair < end; pair++) sum += TRoutine.Run(left + pair->Left,
            right + pair->Right, pair->Length);
        return sum;
    }
}
