namespace MemPrims.Tests;

/// <summary>Orders two blocks of one length. <paramref name="exact"/>: its value is the difference of the first two bytes that differ, not the sign alone.</summary>
internal sealed unsafe class CompareKernel(string name, bool supported, bool exact, delegate*<byte*, byte*, nint, int> compare) : Kernel(name, supported)
{
    public bool Holds(byte* left, byte* right, nint length, int difference)
    {
        int order = compare(left, right, length);
        return exact ? order == difference : Math.Sign(order) == Math.Sign(difference);
    }
}

/// <summary>Answers whether two blocks of one length are equal.</summary>
internal sealed unsafe class EqualKernel(string name, bool supported, delegate*<byte*, byte*, nint, bool> equal) : Kernel(name, supported)
{
    public bool Equal(byte* left, byte* right, nint length) => equal(left, right, length);
}

/// <summary>Answers whether a block is all zero.</summary>
internal sealed unsafe class ZeroKernel(string name, bool supported, delegate*<byte*, nint, bool> isZero) : Kernel(name, supported)
{
    public bool IsZero(byte* source, nint length) => isZero(source, length);
}

internal static unsafe class CompareKernels
{
    public static readonly KernelTable<CompareKernel> Order = new(
        new("Block.Compare", true, exact: true, &Block.Compare),
        new("Block.Compare with position", true, exact: true, &WithPosition),
        new("Block.Compare of spans", true, exact: false, &OfSpans) { Takes64BitLengths = false },
        new("Block.Compare, short blocks expected", Hardware.Has512, exact: true, &ShortExpected),
        new("Block.Compare, short blocks not expected", Hardware.Has512, exact: true, &ShortNotExpected),
        new("Libc without a library", true, exact: false, &Libc.CompareByRuntime),
        new("Libc.Compare", Libc.IsAvailable, exact: false, &Libc.Compare));

    public static readonly KernelTable<EqualKernel> Equality = new(
        new("Block.Equal", true, &Block.Equal),
        new("Block.Equal, short blocks expected", Hardware.Has512, &EqualShortExpected),
        new("Block.Equal, short blocks not expected", Hardware.Has512, &EqualShortNotExpected),
        new("Block.Equal of spans", true, &EqualSpans) { Takes64BitLengths = false });

    public static readonly KernelTable<ZeroKernel> Zero = new(
        new ZeroKernel("Block.IsZero", true, &Block.IsZero));

    private static int ShortExpected(byte* left, byte* right, nint length)
    {
        ShortBlocks<ComparedBlocks>.Expected = true;
        return Block.Compare(left, right, length);
    }

    private static int ShortNotExpected(byte* left, byte* right, nint length)
    {
        ShortBlocks<ComparedBlocks>.Expected = false;
        return Block.Compare(left, right, length);
    }

    private static bool EqualShortExpected(byte* left, byte* right, nint length)
    {
        ShortBlocks<ComparedBlocks>.Expected = true;
        return Block.Equal(left, right, length);
    }

    private static bool EqualShortNotExpected(byte* left, byte* right, nint length)
    {
        ShortBlocks<ComparedBlocks>.Expected = false;
        return Block.Equal(left, right, length);
    }

    private static int WithPosition(byte* left, byte* right, nint length) => Block.Compare(left, right, length, out _);

    private static int OfSpans(byte* left, byte* right, nint length) =>
        Block.Compare(new ReadOnlySpan<byte>(left, (int)length), new ReadOnlySpan<byte>(right, (int)length));

    private static bool EqualSpans(byte* left, byte* right, nint length) =>
        Block.Equal(new ReadOnlySpan<byte>(left, (int)length), new ReadOnlySpan<byte>(right, (int)length));
}
