namespace MemPrims.Tool.Measure;

public readonly unsafe struct BlockCompare : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => Block.Compare(left, right, length);
}

public readonly unsafe struct BlockEqual : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) => Block.Equal(left, right, length) ? 1 : 0;
}

// Block.Copy. Stores to native memory cannot be optimised away, so the length will do for a number.
public readonly unsafe struct BlockCopy : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        Block.Copy(left, right, length);
        return length;
    }
}

public readonly unsafe struct BclCompare : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) =>
        new ReadOnlySpan<byte>(left, (int)length).SequenceCompareTo(new ReadOnlySpan<byte>(right, (int)length));
}

public readonly unsafe struct BclEqual : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length) =>
        new ReadOnlySpan<byte>(left, (int)length).SequenceEqual(new ReadOnlySpan<byte>(right, (int)length)) ? 1 : 0;
}

public readonly unsafe struct BufferMemoryCopy : IBlockRoutine
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Run(byte* left, byte* right, nint length)
    {
        Buffer.MemoryCopy(right, left, length, length);
        return length;
    }
}

// Keys as spans: Block.Compare.
public readonly unsafe struct BlockSpanOrder : IKeyOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* query, int queryLength, byte* key, int keyLength) =>
        Block.Compare(new ReadOnlySpan<byte>(query, queryLength), new ReadOnlySpan<byte>(key, keyLength));
}

public readonly unsafe struct BclKeyOrder : IKeyOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* query, int queryLength, byte* key, int keyLength) =>
        new ReadOnlySpan<byte>(query, queryLength).SequenceCompareTo(new ReadOnlySpan<byte>(key, keyLength));
}
