using System.Runtime.Intrinsics.X86;

namespace MemPrims.Tests;

// The CRC-32C of a block, continued from `seed`: the CRC of what came before.
internal unsafe delegate uint Crc32CBlock(byte* source, nint length, uint seed);

internal static unsafe class Crc32CKernels
{
    public static readonly KernelTable<Crc32CBlock> Table = new(
        // Shorter blocks than it takes go to the streams, as in the dispatcher.
        new("Crc32CFolding", Hardware.Tier == Tier.Vector512 && Pclmulqdq.V512.IsSupported, (source, length, seed) =>
            length < Crc32CFolding.Minimum ? ByStreams(source, length, seed) : ~Crc32CFolding.Update(~seed, source, length)),
        new("Crc32CStreams", true, ByStreams),
        new("Checksum.Crc32C", true, (source, length, seed) => Checksum.Crc32C(seed, source, length)),
        new("Checksum.Crc32C of a span", true, (source, length, seed) =>
            Checksum.Crc32C(seed, new ReadOnlySpan<byte>(source, (int)length)))
        { Takes64BitLengths = false });

    private static uint ByStreams(byte* source, nint length, uint seed) => ~Crc32CStreams.Update(~seed, source, length);
}
