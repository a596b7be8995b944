namespace MemPrims.Tests;

/// <summary>Gives the position of the first byte that differs; the length when none does.</summary>
internal sealed unsafe class MismatchKernel(string name, bool supported, delegate*<byte*, byte*, nint, nint> find) : Kernel(name, supported)
{
    public nint Find(byte* left, byte* right, nint length) => find(left, right, length);
}

internal static unsafe class MismatchKernels
{
    public static readonly KernelTable<MismatchKernel> Table = new(
        new("Block.CommonPrefix", true, &Block.CommonPrefix),
        new("Block.CommonPrefix of spans", true, &OfSpans) { Takes64BitLengths = false },
        new("Block.Compare's position", true, &PositionOfCompare));

    private static nint OfSpans(byte* left, byte* right, nint length) =>
        Block.CommonPrefix(new ReadOnlySpan<byte>(left, (int)length), new ReadOnlySpan<byte>(right, (int)length));

    private static nint PositionOfCompare(byte* left, byte* right, nint length)
    {
        Block.Compare(left, right, length, out nint position);
        return position;
    }
}
