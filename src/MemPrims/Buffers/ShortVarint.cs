using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>Varints of one to three bytes, for the readers: in line, without a branch between two and three bytes.</summary>
internal static class ShortVarint
{
    /// <summary>How many bytes are loaded, and so must be there.</summary>
    public const int Reach = sizeof(uint);

    /// <summary>The value; a <paramref name="size"/> of 0 if it is longer, or is none.</summary>
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
        // A third byte that says that more follow, or a last byte of zero: not for here.
        bool isShort = (bytes & third << 23) == 0 && (low | high) >> (int)(7 + 7 * third) != 0;
        size = isShort ? (int)(2 + third) : 0;
        return low | high;
    }
}

/// <summary>
/// The length before a block, in the bytes at hand. Of a block that is not there, or not wholly, both numbers are 0. Returned by value: an
/// out parameter would take the address of a local variable and keep that in memory.
/// </summary>
internal readonly struct BlockPrefix
{
    /// <summary>The bytes of the block.</summary>
    public readonly int Length;

    /// <summary>The bytes of its length.</summary>
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
