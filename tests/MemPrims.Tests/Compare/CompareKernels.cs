using System.Runtime.Intrinsics;

namespace MemPrims.Tests;

// The position of the first byte that differs; the length when none does.
internal unsafe delegate nint FindDifference(byte* left, byte* right, nint length);

// The order of two blocks of one length. Only the sign of its value means anything.
internal unsafe delegate int CompareBlocks(byte* left, byte* right, nint length);

// Whether two blocks of one length are equal.
internal unsafe delegate bool EqualBlocks(byte* left, byte* right, nint length);

internal static unsafe class CompareKernels
{
    public static readonly KernelTable<FindDifference> Position = new(
        new("Block.CommonPrefix", true, Block.CommonPrefix),
        new("Block.CommonPrefix of spans", true, (left, right, length) => Block.CommonPrefix(Span(left, length), Span(right, length)))
        {
            Takes64BitLengths = false,
        },
        new("Block.Compare's position", true, (left, right, length) =>
        {
            Block.Compare(left, right, length, out nint position);
            return position;
        }),
        new("CompareTiers.Find512", Hardware.Tier == Tier.Vector512, (left, right, length) =>
            CompareTiers.Find512(left, right, length).Position),
        new("CompareTiers.Find of 32 bytes", Vector256.IsHardwareAccelerated, (left, right, length) =>
            CompareTiers.Find<Bytes256>(left, right, length).Position),
        new("CompareTiers.Find of 16 bytes", Vector128.IsHardwareAccelerated, (left, right, length) =>
            CompareTiers.Find<Bytes128>(left, right, length).Position),
        new("CompareTiers.Find of words", true, (left, right, length) => CompareTiers.Find<Bytes64>(left, right, length).Position));

    public static readonly KernelTable<CompareBlocks> Order = new(
        new("Block.Compare", true, Block.Compare),
        new("Block.Compare with position", true, (left, right, length) => Block.Compare(left, right, length, out _)),
        new("Block.Compare of spans", true, (left, right, length) => Block.Compare(Span(left, length), Span(right, length)))
        {
            Takes64BitLengths = false,
        },
        new("CompareTiers.Find512", Hardware.Tier == Tier.Vector512, (left, right, length) =>
            CompareTiers.Find512(left, right, length).Order(length)),
        new("CompareTiers.Find of 32 bytes", Vector256.IsHardwareAccelerated, (left, right, length) =>
            CompareTiers.Find<Bytes256>(left, right, length).Order(length)),
        new("CompareTiers.Find of 16 bytes", Vector128.IsHardwareAccelerated, (left, right, length) =>
            CompareTiers.Find<Bytes128>(left, right, length).Order(length)),
        new("CompareTiers.Find of words", true, (left, right, length) => CompareTiers.Find<Bytes64>(left, right, length).Order(length)),
        new("Libc without a library", true, Libc.CompareByRuntime),
        new("Libc.Compare", Libc.IsAvailable, Libc.Compare));

    public static readonly KernelTable<EqualBlocks> Equality = new(
        new("Block.Equal", true, Block.Equal),
        new("Block.Equal of spans", true, (left, right, length) => Block.Equal(Span(left, length), Span(right, length)))
        {
            Takes64BitLengths = false,
        });

    public static bool Holds(this Kernel<CompareBlocks> kernel, byte* left, byte* right, nint length, int difference) =>
        Math.Sign(kernel.Run(left, right, length)) == Math.Sign(difference);

    private static ReadOnlySpan<byte> Span(byte* block, nint length) => new(block, (int)length);
}
