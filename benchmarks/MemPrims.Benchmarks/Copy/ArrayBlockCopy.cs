using System.Runtime.CompilerServices;

namespace MemPrims.Benchmarks.Copy;

/// <summary>Buffer.BlockCopy takes arrays and no pointers: the same calls over arrays of the arenas' size.</summary>
public sealed unsafe class ArrayBlockCopy(BlockPairs pairs)
{
    private readonly byte[] _left = new byte[pairs.ArenaSize], _right = new byte[pairs.ArenaSize];

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Batch()
    {
        long sum = 0;
        byte[] left = _left, right = _right;
        for (BlockPair* pair = pairs.First, end = pairs.End; pair < end; pair++)
        {
            int length = pair->Length;
            Buffer.BlockCopy(right, pair->Right, left, pair->Left, length);
            sum += length;
        }
        return sum;
    }
}
