using System.Runtime.CompilerServices;

namespace MemPrims.Benchmarks.Copy;

// The plain variants that this library grew from: bytes, words of 4 and 8 bytes, and words with a branch table for the odd 0 to 3 bytes
// before or behind them. Left is the destination, right the source. With one length for all the branches are learned, and few
// instructions win (ns a call, machine of results/):
//
//                              0–64    12 bytes
//   for-loop                   14.9     2.4
//   4-byte words               13.8     0.9
//   8-byte words               13.4     1.4
//   branch table, then words   17.4     1.3
//   words, then branch table   17.2     1.2
//   Block.Copy, 512 bits        1.8     1.6
//   Block.Copy, scalar         10.1     1.4

internal readonly unsafe struct CopyBytes : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        for (nint i = 0; i < length; i++) left[i] = right[i];
        return length;
    }
}

internal readonly unsafe struct CopyWords<TWord> : IBlockRoutine where TWord : unmanaged
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        nint words = length & -sizeof(TWord);
        for (nint i = 0; i < words; i += sizeof(TWord)) *(TWord*)(left + i) = *(TWord*)(right + i);
        CopyBytes.Run(left + words, right + words, length - words);
        return length;
    }
}

internal readonly unsafe struct CopyTableBeforeWords : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        nint head = length & (sizeof(ulong) - 1);
        CopyTable.Run(left, right, length & 3);
        if ((length & sizeof(uint)) != 0) *(uint*)(left + (length & 3)) = *(uint*)(right + (length & 3));
        CopyWords<ulong>.Run(left + head, right + head, length - head);
        return length;
    }
}

internal readonly unsafe struct CopyTableAfterWords : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        nint words = length & -sizeof(ulong), wholes = length & -sizeof(uint);
        CopyWords<ulong>.Run(left, right, words);
        if ((length & sizeof(uint)) != 0) *(uint*)(left + words) = *(uint*)(right + words);
        CopyTable.Run(left + wholes, right + wholes, length & 3);
        return length;
    }
}

/// <summary>0 to 3 bytes by a branch table.</summary>
file static unsafe class CopyTable
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Run(byte* left, byte* right, nint length)
    {
        switch (length)
        {
            case 3:
                left[2] = right[2];
                goto case 2;
            case 2:
                left[1] = right[1];
                goto case 1;
            case 1:
                left[0] = right[0];
                break;
        }
    }
}
