using System.Runtime.CompilerServices;

namespace MemPrims.Tool.Measure;

/// <summary>A routine over two blocks that gives a number. A struct of it makes the batch's loop a loop of that routine, without a call
/// by delegate.</summary>
public unsafe interface IBlockRoutine
{
    /// <summary>One call.</summary>
    /// <param name="left">The first block; the destination, where bytes are copied.</param>
    /// <param name="right">The other block; the source.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <returns>A number that depends on the result.</returns>
    static abstract long Run(byte* left, byte* right, nint length);
}

/// <summary>The loop around a routine: alike for all contenders, and all it does besides is to add the results.</summary>
public static unsafe class Batch
{
    /// <summary>Calls a routine with every pair.</summary>
    /// <typeparam name="TRoutine">The routine.</typeparam>
    /// <param name="pairs">The arguments of the calls.</param>
    /// <returns>The sum of the results.</returns>
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
