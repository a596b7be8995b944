using System.Buffers;
using System.Runtime.CompilerServices;

namespace MemPrims.Codecs;

// Signed numbers: folded so that small ones of either sign take few bytes (0, −1, 1, −2 … become 0, 1, 2, 3 …), as protobuf's sint32 and
// sint64.
public static unsafe partial class Varint
{
    /// <summary>Folds a signed number: 0, −1, 1, −2 become 0, 1, 2, 3.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong ZigZag(long value) => (ulong)(value << 1 ^ value >> 63);

    /// <summary>Unfolds a signed number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long UnZigZag(ulong value) => (long)(value >> 1) ^ -(long)(value & 1);

    /// <summary>The bytes that a signed number takes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SizeZigZag(long value) => Size(ZigZag(value));

    /// <summary>Writes a signed number and returns how many bytes it took.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing was written.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int WriteZigZag(Span<byte> destination, long value) => Write(destination, ZigZag(value));

    /// <summary>Writes a signed number unless the destination is too short: then it writes nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWriteZigZag(Span<byte> destination, long value, out int written) => TryWrite(destination, ZigZag(value),
        out written);

    /// <inheritdoc cref="Read(ReadOnlySpan{byte}, out ulong, out int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus ReadZigZag(ReadOnlySpan<byte> source, out long value, out int consumed)
    {
        OperationStatus status = Read(source, out ulong folded, out consumed);
        value = UnZigZag(folded);
        return status;
    }

    /// <summary>The same for a signed number of 32 bits: one that needs more is <see cref="OperationStatus.InvalidData"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus ReadZigZag32(ReadOnlySpan<byte> source, out int value, out int consumed)
    {
        OperationStatus status = Read32(source, out uint folded, out consumed);
        value = (int)UnZigZag(folded);
        return status;
    }
}
