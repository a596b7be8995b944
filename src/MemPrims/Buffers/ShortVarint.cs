using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>Varints of one to three bytes, for the readers. The code is inlined, and has no branch between two and three bytes.</summary>
internal static class ShortVarint
{
    /// <summary>How many bytes are loaded. The source must have as many.</summary>
    public const int Reach = sizeof(uint);

    /// <summary>The value. The <paramref name="size"/> is 0 if the varint is longer than three bytes, or not valid.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Read(ref byte from, out int size)
    {
        uint bytes = Unsafe.ReadUnaligned<uint>(ref from);
        if ((bytes & 0x80) == 0)
        {
            size = 1;
            return bytes & 0x7F;
        }
        uint third = bytes >> 15 & 1, low = bytes & 0x7F | (bytes >> 1 & 0x3F80), high = bytes >> 2 & 0x1F_C000 & (0 - third);
        // Not here: a third byte that says that more follow, and a last byte of zero.
        bool isShort = (bytes & third << 23) == 0 && (low | high) >> (int)(7 + 7 * third) != 0;
        size = isShort ? (int)(2 + third) : 0;
        return low | high;
    }
}

/// <summary>
/// The length before a block. Both numbers are 0 if the source does not have the whole block. It is returned by value: for an out
/// parameter the JIT would keep a local variable of the caller in memory.
/// </summary>
internal readonly struct BlockPrefix
{
    /// <summary>How many bytes the block has.</summary>
    public readonly int Length;

    /// <summary>How many bytes the length before it has.</summary>
    public readonly int Size;

    public readonly OperationStatus Status;

    private BlockPrefix(OperationStatus status, int length = 0, int size = 0) => (Length, Size, Status) = (length, size, status);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static BlockPrefix Read(ref byte from, int left, int most)
    {
        OperationStatus status = PackedLength.Read(MemoryMarshal.CreateReadOnlySpan(ref from, left), out ulong length, out int size);
        if (status != OperationStatus.Done) return new(status);
        if (length > (ulong)most) return new(OperationStatus.InvalidData);
        return length > (ulong)(left - size) ? new(OperationStatus.NeedMoreData) : new(OperationStatus.Done, (int)length, size);
    }
}
