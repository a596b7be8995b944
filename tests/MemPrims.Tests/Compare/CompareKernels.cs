using System.Runtime.Intrinsics;

namespace MemPrims.Tests;

// Orders two blocks of one length. Only the sign of its value means anything.
internal sealed unsafe class CompareKernel(string name, bool supported, delegate*<byte*, byte*, nint, int> compare)
    : Kernel(name, supported)
{
    public bool Holds(byte* left, byte* right, nint length, int difference) =>
        Math.Sign(compare(left, right, length)) == Math.Sign(difference);
}

// Answers whether two blocks of one length are equal.
internal sealed unsafe class EqualKernel(string name, bool supported, delegate*<byte*, byte*, nint, bool> equal) : Kernel(name, supported)
{
    public bool Equal(byte* left, byte* right, nint length) => equal(left, right, length);
}

// Answers whether a block is all zero.
internal sealed unsafe class ZeroKernel(string name, bool supported, delegate*<byte*, nint, bool> isZero) : Kernel(name, supported)
{
    public bool IsZero(byte* source, nint length) => isZero(source, length);
}

internal static unsafe class CompareKernels
{
    public static readonly KernelTable<CompareKernel> Order = new(
        new("Block.Compare", true, &Block.Compare),
        new("Block.Compare with position", true, &WithPosition),
        new("Block.Compare of spans", true, &OfSpans) { Takes64BitLengths = false },
        new("CompareTiers.Find512", Hardware.Tier == Tier.Vector512, &Find512),
        new("CompareTiers.Find of 32 bytes", Vector256.IsHardwareAccelerated, &Find<Bytes256>),
        new("CompareTiers.Find of 16 bytes", Vector128.IsHardwareAccelerated, &Find<Bytes128>),
        new("CompareTiers.Find of words", true, &Find<Bytes64>),
        new("Libc without a library", true, &Libc.CompareByRuntime),
        new("Libc.Compare", Libc.IsAvailable, &Libc.Compare));

    public static readonly KernelTable<EqualKernel> Equality = new(
        new("Block.Equal", true, &Block.Equal),
        new("Block.Equal of spans", true, &EqualSpans) { Takes64BitLengths = false });

    public static readonly KernelTable<ZeroKernel> Zero = new(
        new("Block.IsZero", true, &Block.IsZero),
        new("Block.IsZero of spans", true, &IsZeroSpan) { Takes64BitLengths = false });

    private static int Find512(byte* left, byte* right, nint length) => CompareTiers.Find512(left, right, length).Order(length);

    private static int Find<TVector>(byte* left, byte* right, nint length) where TVector : struct, IVector<TVector> =>
        CompareTiers.Find<TVector>(left, right, length).Order(length);

    private static int WithPosition(byte* left, byte* right, nint length) => Block.Compare(left, right, length, out _);

    private static int OfSpans(byte* left, byte* right, nint length) =>
        Block.Compare(new ReadOnlySpan<byte>(left, (int)length), new ReadOnlySpan<byte>(right, (int)length));

    private static bool IsZeroSpan(byte* source, nint length) => Block.IsZero(new ReadOnlySpan<byte>(source, (int)length));

    private static bool EqualSpans(byte* left, byte* right, nint length) =>
        Block.Equal(new ReadOnlySpan<byte>(left, (int)length), new ReadOnlySpan<byte>(right, (int)length));
}
