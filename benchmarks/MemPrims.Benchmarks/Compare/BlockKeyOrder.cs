using System.Runtime.CompilerServices;

namespace MemPrims.Benchmarks.Compare;

/// <summary>Keys in pages: <see cref="Block.Compare(byte*, byte*, nint)"/> over the length of the shorter, then by length.</summary>
public readonly unsafe struct BlockKeyOrder : IKeyOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* query, int queryLength, byte* key, int keyLength)
    {
        int order = Block.Compare(query, key, Shorter(queryLength, keyLength));
        return order != 0 ? order : queryLength - keyLength;
    }

    /// <summary>The shorter length without a branch: the JIT makes one of Math.Min in a loop, and random lengths mispredict it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Shorter(int one, int other) => other + ((one - other) & ((one - other) >> 31));
}
