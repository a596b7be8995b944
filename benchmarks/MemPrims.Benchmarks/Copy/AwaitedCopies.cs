using System.Runtime.CompilerServices;

namespace MemPrims.Benchmarks.Copy;

/// <summary>
/// Copies, each of which waits for the first word of the copy before: it says where the next copy goes. A store that covers the word is
/// forwarded to the load; two overlapping stores, or a masked one, are not.
/// </summary>
public static unsafe class AwaitedCopies
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Of<TCopy>(BlockPairs pairs) where TCopy : struct, IBlockRoutine
    {
        byte* left = pairs.LeftArena, right = pairs.RightArena;
        nint shift = 0;
        long sum = 0;
        for (BlockPair* pair = pairs.First, end = pairs.End; pair < end; pair++)
        {
            byte* destination = left + pair->Left + shift;
            TCopy.Run(destination, right + pair->Right + shift, pair->Length);
            // The arenas hold nothing but sevens: the shift stays 0, which the processor does not know.
            shift = (nint)(*(ulong*)destination & 8);
            sum += shift;
        }
        return sum;
    }
}
