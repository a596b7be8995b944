using System.Runtime.CompilerServices;

namespace MemPrims.Tool.Measure;

/// <summary><see cref="Block.Compare(byte*, byte*, nint)"/>.</summary>
public readonly unsafe struct BlockCompare : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => Block.Compare(left, right, length);
}

/// <summary><see cref="Block.Equal(byte*, byte*, nint)"/>.</summary>
public readonly unsafe struct BlockEqual : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => Block.Equal(left, right, length) ? 1 : 0;
}

/// <summary><see cref="Block.Copy(byte*, byte*, nint)"/>. Stores to native memory cannot be optimised away, so the length will do for a
/// number.</summary>
public readonly unsafe struct BlockCopy : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        Block.Copy(left, right, length);
        return length;
    }
}

/// <summary>The BCL's SequenceCompareTo.</summary>
public readonly unsafe struct BclCompare : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) =>
        new ReadOnlySpan<byte>(left, (int)length).SequenceCompareTo(new ReadOnlySpan<byte>(right, (int)length));
}

/// <summary>The BCL's SequenceEqual.</summary>
public readonly unsafe struct BclEqual : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) =>
        new ReadOnlySpan<byte>(left, (int)length).SequenceEqual(new ReadOnlySpan<byte>(right, (int)length)) ? 1 : 0;
}

/// <summary><see cref="Buffer.MemoryCopy(void*, void*, long, long)"/>.</summary>
public readonly unsafe struct BufferMemoryCopy : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        Buffer.MemoryCopy(right, left, length, length);
        return length;
    }
}

/// <summary>Keys as spans: <see cref="Block.Compare(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>.</summary>
public readonly unsafe struct BlockSpanOrder : IKeyOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* query, int queryLength, byte* key, int keyLength) =>
        Block.Compare(new ReadOnlySpan<byte>(query, queryLength), new ReadOnlySpan<byte>(key, keyLength));
}

/// <summary>The BCL's SequenceCompareTo.</summary>
public readonly unsafe struct BclKeyOrder : IKeyOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* query, int queryLength, byte* key, int keyLength) =>
        new ReadOnlySpan<byte>(query, queryLength).SequenceCompareTo(new ReadOnlySpan<byte>(key, keyLength));
}
