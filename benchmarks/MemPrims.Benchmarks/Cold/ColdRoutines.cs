using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Compare;
using MemPrims.Benchmarks.Copy;
using MemPrims.Benchmarks.Pages;

namespace MemPrims.Benchmarks.Cold;

/// <summary>A public routine and the one of the BCL that it replaces; the child process runs one of the two.</summary>
internal sealed record ColdRoutine(string Name, string Peer, Func<BlockPairs, long> Ours, Func<BlockPairs, long> Theirs)
{
    /// <summary>What the child makes before the time runs.</summary>
    public Action Prepare { get; init; } = () => { };

    /// <summary>The lengths to measure; null for those of every routine.</summary>
    public int[]? Lengths { get; init; }
}

/// <summary>Every public routine of Compare and Copy, and the search in a page.</summary>
internal static class ColdRoutines
{
    public static readonly ColdRoutine[] All =
    [
        new("Compare", "SequenceCompareTo", ColdBatch.Of<BlockCompare>, ColdBatch.Of<BclCompare>),
        new("Compare, spans", "SequenceCompareTo", ColdBatch.Of<BlockCompareSpans>, ColdBatch.Of<BclCompare>),
        new("Compare, position", "CommonPrefixLength", ColdBatch.Of<BlockComparePosition>, ColdBatch.Of<BclCommonPrefix>),
        new("Equal", "SequenceEqual", ColdBatch.Of<BlockEqual>, ColdBatch.Of<BclEqual>),
        new("Equal, spans", "SequenceEqual", ColdBatch.Of<BlockEqualSpans>, ColdBatch.Of<BclEqual>),
        new("CommonPrefix", "CommonPrefixLength", ColdBatch.Of<BlockCommonPrefix>, ColdBatch.Of<BclCommonPrefix>),
        new("CommonPrefix, spans", "CommonPrefixLength", ColdBatch.Of<BlockCommonPrefixSpans>, ColdBatch.Of<BclCommonPrefix>),
        new("IsZero", "ContainsAnyExcept", ColdBatch.Of<BlockIsZero>, ColdBatch.Of<BclIsZero>),
        new("Copy", "Buffer.MemoryCopy", ColdBatch.Of<BlockCopy>, ColdBatch.Of<BufferMemoryCopy>),
        new("Copy, spans", "Span.CopyTo", ColdBatch.Of<BlockCopySpans>, ColdBatch.Of<SpanCopyTo>),
        new("CopyStreaming", "Buffer.MemoryCopy", ColdBatch.Of<BlockCopyStreaming>, ColdBatch.Of<BufferMemoryCopy>),
        new("Fill", "Span.Fill", ColdBatch.Of<BlockFill>, ColdBatch.Of<SpanFill>),
        new("Clear", "Span.Clear", ColdBatch.Of<BlockClear>, ColdBatch.Of<SpanClear>),
        new("DropIn.Buffer.Memcpy", "Buffer.MemoryCopy", ColdBatch.Of<DropInMemcpy>, ColdBatch.Of<BufferMemoryCopy>),
        new("DropIn.Buffer.MemoryCopy", "Buffer.MemoryCopy", ColdBatch.Of<DropInMemoryCopy>, ColdBatch.Of<BufferMemoryCopy>),
        new("SortedPage.Find", "SequenceCompareTo", ColdPageSearch.Of<OwnSearch>, ColdPageSearch.Of<ColdBclBinarySearch>)
        {
            Prepare = ColdPageSearch.Prepare, Lengths = [14],
        },
    ];
}

/// <summary>The loop around a routine, optimised at its first call: what is slow then is the routine.</summary>
internal static unsafe class ColdBatch
{
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static long Of<TRoutine>(BlockPairs pairs) where TRoutine : struct, IBlockRoutine
    {
        long sum = 0;
        byte* left = pairs.LeftArena, right = pairs.RightArena;
        for (BlockPair* pair = pairs.First, end = pairs.End; pair < end; pair++) sum += TRoutine.Run(left + pair->Left,
            right + pair->Right, pair->Length);
        return sum;
    }
}

internal readonly unsafe struct BlockCompareSpans : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) =>
        Block.Compare(new ReadOnlySpan<byte>(left, (int)length), new ReadOnlySpan<byte>(right, (int)length));
}

internal readonly unsafe struct BlockComparePosition : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => Block.Compare(left, right, length, out nint position) + position;
}

internal readonly unsafe struct BlockCommonPrefixSpans : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) =>
        Block.CommonPrefix(new ReadOnlySpan<byte>(left, (int)length), new ReadOnlySpan<byte>(right, (int)length));
}

internal readonly unsafe struct BlockIsZero : IBlockRoutine
{
    // The right arena is cleared before.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => Block.IsZero(right, length) ? 1 : 0;
}

internal readonly unsafe struct BclIsZero : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) =>
        new ReadOnlySpan<byte>(right, (int)length).ContainsAnyExcept((byte)0) ? 0 : 1;
}

internal readonly unsafe struct BlockCopySpans : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        Block.Copy(new Span<byte>(left, (int)length), new ReadOnlySpan<byte>(right, (int)length));
        return length;
    }
}

internal readonly unsafe struct BlockClear : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        Block.Clear(left, length);
        return length;
    }
}

internal readonly unsafe struct SpanClear : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        new Span<byte>(left, (int)length).Clear();
        return length;
    }
}

internal readonly unsafe struct DropInMemcpy : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        DropIn.Buffer.Memcpy(left, right, (int)length);
        return length;
    }
}

internal readonly unsafe struct DropInMemoryCopy : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        DropIn.Buffer.MemoryCopy(right, left, length, length);
        return length;
    }
}
