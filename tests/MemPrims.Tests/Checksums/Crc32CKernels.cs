using System.Runtime.Intrinsics.X86;

namespace MemPrims.Tests;

// The CRC-32C of a block, continued from `seed`: the CRC of what came before.
internal sealed unsafe class Crc32CKernel(string name, bool supported, delegate*<byte*, nint, uint, uint> crc) : Kernel(name, supported)
{
    public uint Crc(byte* source, nint length, uint seed) => crc(source, length, seed);
}

internal static unsafe class Crc32CKernels
{
    public static readonly KernelTable<Crc32CKernel> Table = new(
        new("Crc32CFolding", Hardware.Tier == Tier.Vector512 && Pclmulqdq.V512.IsSupported, &ByFolding),
        new("Crc32CStreams", true, &ByStreams),
        new("Checksum.Crc32C", true, &OfBlock),
        new("Checksum.Crc32C of a span", true, &OfSpan) { Takes64BitLengths = false });

    // Shorter blocks than it takes go to the streams, as in the dispatcher.
    private static uint ByFolding(byte* source, nint length, uint seed) =>
        length < Crc32CFolding.Minimum ? ByStreams(source, length, seed) : ~Crc32CFolding.Update(~seed, source, length);

    private static uint ByStreams(byte* source, nint length, uint seed) => ~Crc32CStreams.Update(~seed, source, length);

    private static uint OfBlock(byte* source, nint length, uint seed) => Checksum.Crc32C(seed, source, length);

    private static uint OfSpan(byte* source, nint length, uint seed) => Checksum.Crc32C(seed, new ReadOnlySpan<byte>(source, (int)length));
}
