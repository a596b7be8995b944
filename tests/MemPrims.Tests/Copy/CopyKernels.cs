using System.Runtime.Intrinsics;

namespace MemPrims.Tests;

/// <summary>Copies a block; the destination may overlap the source, in either direction.</summary>
internal sealed unsafe class CopyKernel(string name, bool supported, delegate*<byte*, byte*, nint, void> copy) : Kernel(name, supported)
{
    public void Copy(byte* destination, byte* source, nint length) => copy(destination, source, length);
}

/// <summary>Writes one value to a whole block.</summary>
internal sealed unsafe class FillKernel(string name, bool supported, delegate*<byte*, byte, nint, void> fill) : Kernel(name, supported)
{
    public void Fill(byte* destination, byte value, nint length) => fill(destination, value, length);
}

internal static unsafe class CopyKernels
{
    public static readonly KernelTable<CopyKernel> Table = new(
        new("Block.Copy", true, &Block.Copy),
        new("Block.Copy of spans", true, &OfSpans) { Takes64BitLengths = false },
        new("Block.CopyStreaming", true, &Block.CopyStreaming),
        new("Copy512", Hardware.Has512, &Copy512.Move),
        new("Copy256", Vector256.IsHardwareAccelerated, &Copy256.Move),
        new("Copy128", Vector128.IsHardwareAccelerated, &Copy128.Move),
        new("CopyScalar", true, &CopyScalar.Move),
        new("Block.Copy, short blocks expected", Hardware.Has512, &ShortExpected),
        new("Block.Copy, short blocks not expected", Hardware.Has512, &ShortNotExpected),
        new("Libc.Copy", Libc.IsAvailable, &Libc.Copy),
        new("Buffer.Memcpy", true, &Memcpy) { Takes64BitLengths = false },
        new("Buffer.Memmove", true, &Memmove),
        new("Buffer.MemoryCopy", true, &MemoryCopy),
        new("Buffer.MemoryCopy, unsigned", true, &MemoryCopyUnsigned));

    public static readonly KernelTable<FillKernel> Fills = new(
        new FillKernel("Block.Fill", true, &Block.Fill));

    private static void ShortExpected(byte* destination, byte* source, nint length)
    {
        ShortBlocks<CopiedBlocks>.Expected = true;
        Block.Copy(destination, source, length);
    }

    private static void ShortNotExpected(byte* destination, byte* source, nint length)
    {
        ShortBlocks<CopiedBlocks>.Expected = false;
        Block.Copy(destination, source, length);
    }

    private static void OfSpans(byte* destination, byte* source, nint length) =>
        Block.Copy(new Span<byte>(destination, (int)length), new ReadOnlySpan<byte>(source, (int)length));

    private static void Memcpy(byte* destination, byte* source, nint length) => DropIn.Buffer.Memcpy(destination, source, (int)length);

    private static void Memmove(byte* destination, byte* source, nint length) => DropIn.Buffer.Memmove(destination, source, (nuint)length);

    private static void MemoryCopy(byte* destination, byte* source, nint length) => DropIn.Buffer.MemoryCopy(source, destination, length, length);

    private static void MemoryCopyUnsigned(byte* destination, byte* source, nint length) =>
        DropIn.Buffer.MemoryCopy(source, destination, (ulong)length, (ulong)length);
}
