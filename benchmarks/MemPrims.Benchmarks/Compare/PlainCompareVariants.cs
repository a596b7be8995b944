using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims.Benchmarks.Compare;

// The plain variants that this library grew from: bytes, words of 4 and 8 bytes, and words with a branch table for the odd 0 to 3 bytes
// before or behind them. Where lengths vary their branches are mispredicted, the table's once more than the others' (ns a call, machine
// of results/):
//
//                              0–64    index-insert keys
//   for-loop                   15.2     8.0
//   4-byte words               14.8     3.5
//   8-byte words               14.5     6.2
//   branch table, then words   18.6     3.7
//   words, then branch table   17.9     4.1
//   Block.Compare, 512 bits     2.1     1.5
//   Block.Compare, scalar       8.5     4.4

internal readonly unsafe struct CompareBytes : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        for (nint i = 0; i < length; i++)
            if (left[i] != right[i]) return left[i] - right[i];
        return 0;
    }
}

internal readonly unsafe struct CompareWords<TWord> : IBlockRoutine where TWord : unmanaged, IBinaryInteger<TWord>
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        for (; length >= sizeof(TWord); left += sizeof(TWord), right += sizeof(TWord), length -= sizeof(TWord))
        {
            TWord different = *(TWord*)left ^ *(TWord*)right;
            if (different != TWord.Zero)
            {
                int first = int.CreateTruncating(TWord.TrailingZeroCount(different)) >> 3;
                return left[first] - right[first];
            }
        }
        return CompareBytes.Run(left, right, length);
    }
}

internal readonly unsafe struct CompareTableBeforeWords : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        nint odd = length & 3;
        long difference = CompareTable.Run(left, right, odd);
        if (difference != 0) return difference;
        left += odd;
        right += odd;
        if ((length & sizeof(uint)) != 0)
        {
            difference = CompareWords<uint>.Run(left, right, sizeof(uint));
            if (difference != 0) return difference;
            left += sizeof(uint);
            right += sizeof(uint);
        }
        return CompareWords<ulong>.Run(left, right, length & -sizeof(ulong));
    }
}

internal readonly unsafe struct CompareTableAfterWords : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        nint words = length & -sizeof(ulong);
        long difference = CompareWords<ulong>.Run(left, right, words);
        if (difference != 0) return difference;
        left += words;
        right += words;
        if ((length & sizeof(uint)) != 0)
        {
            difference = CompareWords<uint>.Run(left, right, sizeof(uint));
            if (difference != 0) return difference;
            left += sizeof(uint);
            right += sizeof(uint);
        }
        return CompareTable.Run(left, right, length & 3);
    }
}

/// <summary>0 to 3 bytes by a branch table.</summary>
file static unsafe class CompareTable
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Run(byte* left, byte* right, nint length)
    {
        switch (length)
        {
            case 3:
                if (*left != *right) return *left - *right;
                left++;
                right++;
                goto case 2;
            case 2:
                if (*left != *right) return *left - *right;
                left++;
                right++;
                goto case 1;
            case 1:
                return *left - *right;
            default:
                return 0;
        }
    }
}
