using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Compare;

internal readonly unsafe struct BlockCommonPrefix : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => Block.CommonPrefix(left, right, length);
}

internal readonly unsafe struct BclCommonPrefix : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) =>
        new ReadOnlySpan<byte>(left, (int)length).CommonPrefixLength(new ReadOnlySpan<byte>(right, (int)length));
}

internal readonly unsafe struct LibcCompare : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => LibcPeer.Compare(left, right, length);
}

internal readonly unsafe struct LibcCompareWithTransition : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => LibcPeer.CompareWithTransition(left, right, length);
}

internal readonly unsafe struct LibcEqual : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => LibcPeer.Compare(left, right, length) == 0 ? 1 : 0;
}

internal readonly unsafe struct BlockEqualSpans : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) =>
        Block.Equal(new ReadOnlySpan<byte>(left, (int)length), new ReadOnlySpan<byte>(right, (int)length)) ? 1 : 0;
}
