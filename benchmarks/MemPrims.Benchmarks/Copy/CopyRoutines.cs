using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Copy;

// Left is the destination, right the source. Stores to native memory cannot be optimised away, so the length will do for a number.

internal readonly unsafe struct BlockCopyStreaming : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        Block.CopyStreaming(left, right, length);
        return length;
    }
}

internal readonly unsafe struct BlockFill : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        Block.Fill(left, length, 7);
        return length;
    }
}

internal readonly unsafe struct SpanCopyTo : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        new ReadOnlySpan<byte>(right, (int)length).CopyTo(new Span<byte>(left, (int)length));
        return length;
    }
}

internal readonly unsafe struct UnsafeCopyBlock : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        Unsafe.CopyBlockUnaligned(left, right, (uint)length);
        return length;
    }
}

internal readonly unsafe struct SpanFill : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        new Span<byte>(left, (int)length).Fill(7);
        return length;
    }
}

internal readonly unsafe struct LibcCopy : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        LibcPeer.Copy(left, right, length);
        return length;
    }
}

internal readonly unsafe struct LibcCopyWithTransition : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        LibcPeer.CopyWithTransition(left, right, length);
        return length;
    }
}
