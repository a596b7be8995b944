using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Workloads;

/// <summary>A routine over two blocks that gives a number. A struct of it makes the batch's loop a loop of that routine, without a call by delegate.</summary>
public unsafe interface IBlockRoutine
{
    static abstract long Run(byte* left, byte* right, nint length);
}

/// <summary>The loop around a routine: alike for all contenders, and all it does besides is to add the results.</summary>
public static unsafe class Batch
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Of<TRoutine>(BlockPairs pairs) where TRoutine : struct, IBlockRoutine
    {
        long sum = 0;
        for (BlockPair* pair = pairs.First, end = pairs.End; pair < end; pair++) sum += TRoutine.Run(pair->Left, pair->Right, pair->Length);
        return sum;
    }
}

/// <summary>libc as a user would bind it, with and without the transition that lets the garbage collector run.</summary>
public static unsafe partial class LibcPeer
{
    [DllImport("libc", EntryPoint = "memcmp"), SuppressGCTransition]
    public static extern int Compare(byte* left, byte* right, nint length);

    [DllImport("libc", EntryPoint = "memcmp")]
    public static extern int CompareWithTransition(byte* left, byte* right, nint length);

    [DllImport("libc", EntryPoint = "memmove"), SuppressGCTransition]
    public static extern byte* Copy(byte* destination, byte* source, nint length);

    [DllImport("libc", EntryPoint = "memmove")]
    public static extern byte* CopyWithTransition(byte* destination, byte* source, nint length);
}
