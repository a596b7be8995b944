using System.Runtime.Intrinsics;

namespace MemPrims.Tests;

// Copies a block; the destination may overlap the source, in either direction.
internal sealed unsafe class CopyKernel(string name, bool supported, delegate*<byte*, byte*, nint, void> copy) : Kernel(name, supported)
{
    public void Copy(byte* destination, byte* source, nint length) => copy(destination, source, length);
}

// Writes one value to a whole block.
internal sealed unsafe class FillKernel(string name, bool supported, delegate*<byte*, nint, byte, void> fill) : Kernel(name, supported)
{
    public void Fill(byte* destination, nint length, byte value) => fill(destination, length, value);
}

internal static unsafe class CopyKernels
{
    public static readonly KernelTable<CopyKernel> Table = new(
        new("Block.Copy", true, &Block.Copy),
        new("Block.Copy of spans", true, &OfSpans) { Takes64BitLengths = false },
        new("Block.CopyStreaming", true, &Block.CopyStreaming),
        new("Block.CopyStreaming of spans", true, &StreamSpans) { Takes64BitLengths = false },
        new("Move.Move512", Hardware.Tier == Tier.Vector512, &Move512),
        new("Move.Move256", Vector256.IsHardwareAccelerated, &Move256),
        new("Move.MoveBy of 16 bytes", Vector128.IsHardwareAccelerated, &MoveBy<Bytes128>),
        new("Move.MoveBy of words", true, &MoveBy<Bytes64>),
        new("Libc.Copy", Libc.IsAvailable, &Libc.Copy),
        new("Buffer.Memcpy", true, &Memcpy) { Takes64BitLengths = false },
        new("Buffer.Memmove", true, &Memmove),
        new("Buffer.MemoryCopy", true, &MemoryCopy),
        new("Buffer.MemoryCopy, unsigned", true, &MemoryCopyUnsigned));

    public static readonly KernelTable<FillKernel> Fills = new(
        new("Block.Fill", true, &Block.Fill),
        new("Block.Fill of spans", true, &FillSpan) { Takes64BitLengths = false });

    private static void Move512(byte* destination, byte* source, nint length) => Move.Move512(ref *destination, ref *source, length);

    private static void Move256(byte* destination, byte* source, nint length) => Move.Move256(ref *destination, ref *source, length);

    private static void MoveBy<TVector>(byte* destination, byte* source, nint length) where TVector : struct, IVector<TVector> =>
        Move.MoveBy<TVector>(ref *destination, ref *source, length);

    private static void FillSpan(byte* destination, nint length, byte value) =>
        Block.Fill(new Span<byte>(destination, (int)length), value);

    private static void StreamSpans(byte* destination, byte* source, nint length) =>
        Block.CopyStreaming(new Span<byte>(destination, (int)length), new ReadOnlySpan<byte>(source, (int)length));

    private static void OfSpans(byte* destination, byte* source, nint length) =>
        Block.Copy(new Span<byte>(destination, (int)length), new ReadOnlySpan<byte>(source, (int)length));

    private static void Memcpy(byte* destination, byte* source, nint length) => DropIn.Buffer.Memcpy(destination, source, (int)length);

    private static void Memmove(byte* destination, byte* source, nint length) => DropIn.Buffer.Memmove(destination, source, (nuint)length);

    private static void MemoryCopy(byte* destination, byte* source, nint length) =>
        DropIn.Buffer.MemoryCopy(source, destination, length, length);

    private static void MemoryCopyUnsigned(byte* destination, byte* source, nint length) =>
        DropIn.Buffer.MemoryCopy(source, destination, (ulong)length, (ulong)length);
}
