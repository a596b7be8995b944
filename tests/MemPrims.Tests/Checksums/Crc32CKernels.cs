namespace MemPrims.Tests;

/// <summary>The CRC-32C of a block, continued from <c>seed</c>: the CRC of what came before.</summary>
internal sealed unsafe class Crc32CKernel(string name, bool supported, delegate*<byte*, nint, uint, uint> crc) : Kernel(name, supported)
{
    public uint Crc(byte* source, nint length, uint seed) => crc(source, length, seed);
}

internal static unsafe class Crc32CKernels
{
    public static readonly KernelTable<Crc32CKernel> Table = new(
        new("Checksum.Crc32C", true, &Checksum.Crc32C),
        new("Checksum.Crc32C of a span", true, &OfSpan) { Takes64BitLengths = false });

    private static uint OfSpan(byte* source, nint length, uint seed) => Checksum.Crc32C(new ReadOnlySpan<byte>(source, (int)length), seed);
}
