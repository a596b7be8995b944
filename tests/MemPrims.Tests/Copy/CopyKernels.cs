using System.Runtime.Intrinsics;

namespace MemPrims.Tests;

// Copies a block; the destination may overlap the source, in either direction.
internal unsafe delegate void CopyBlock(byte* destination, byte* source, nint length);

internal static unsafe class CopyKernels
{
    public static readonly KernelTable<CopyBlock> Table = new(
        new("Block.Copy", true, Block.Copy),
        new("Block.Copy of spans", true, (to, from, length) => Block.Copy(Span(to, length), Span(from, length)))
        {
            Takes64BitLengths = false,
        },
        new("Block.CopyStreaming", true, Block.CopyStreaming),
        new("Move.Move512", Hardware.Tier == Tier.Vector512, (to, from, length) => Move.Move512(ref *to, ref *from, length)),
        new("Move.Move256", Vector256.IsHardwareAccelerated, (to, from, length) => Move.Move256(ref *to, ref *from, length)),
        new("Move.MoveBy of 16 bytes", Vector128.IsHardwareAccelerated, (to, from, length) =>
            Move.MoveBy<Bytes128>(ref *to, ref *from, length)),
        new("Move.MoveBy of words", true, (to, from, length) => Move.MoveBy<Bytes64>(ref *to, ref *from, length)),
        new("Libc.Copy", Libc.IsAvailable, Libc.Copy),
        new("Buffer.Memcpy", true, (to, from, length) => DropIn.Buffer.Memcpy(to, from, (int)length)) { Takes64BitLengths = false },
        new("Buffer.Memmove", true, (to, from, length) => DropIn.Buffer.Memmove(to, from, (nuint)length)),
        new("Buffer.MemoryCopy", true, (to, from, length) => DropIn.Buffer.MemoryCopy(from, to, length, length)),
        new("Buffer.MemoryCopy, unsigned", true, (to, from, length) =>
            DropIn.Buffer.MemoryCopy(from, to, (ulong)length, (ulong)length)));

    private static Span<byte> Span(byte* block, nint length) => new(block, (int)length);
}
