using System.Runtime.Intrinsics;

namespace MemPrims.Tests;

// Gives the position of the first byte that differs; the length when none does.
internal sealed unsafe class MismatchKernel(string name, bool supported, delegate*<byte*, byte*, nint, nint> find)
    : Kernel(name, supported)
{
    public nint Find(byte* left, byte* right, nint length) => find(left, right, length);
}

internal static unsafe class MismatchKernels
{
    public static readonly KernelTable<MismatchKernel> Table = new(
        new("Block.CommonPrefix", true, &Block.CommonPrefix),
        new("Block.CommonPrefix of spans", true, &OfSpans) { Takes64BitLengths = false },
        new("Block.Compare's position", true, &PositionOfCompare),
        new("CompareTiers.Find512", Hardware.Tier == Tier.Vector512, &Find512),
        new("CompareTiers.Find of 32 bytes", Vector256.IsHardwareAccelerated, &Find<Bytes256>),
        new("CompareTiers.Find of 16 bytes", Vector128.IsHardwareAccelerated, &Find<Bytes128>),
        new("CompareTiers.Find of words", true, &Find<Bytes64>));

    private static nint Find512(byte* left, byte* right, nint length) => CompareTiers.Find512(left, right, length).Position;

    private static nint Find<TVector>(byte* left, byte* right, nint length) where TVector : struct, IVector<TVector> =>
        CompareTiers.Find<TVector>(left, right, length).Position;

    private static nint OfSpans(byte* left, byte* right, nint length) =>
        Block.CommonPrefix(new ReadOnlySpan<byte>(left, (int)length), new ReadOnlySpan<byte>(right, (int)length));

    private static nint PositionOfCompare(byte* left, byte* right, nint length)
    {
        Block.Compare(left, right, length, out nint position);
        return position;
    }
}
