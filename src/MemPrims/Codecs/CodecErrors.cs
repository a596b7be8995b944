using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Codecs;

/// <summary>
/// What the codecs throw. The throws are kept out of the callers, which then stay small enough to be inlined. They are not marked
/// NoInlining: the JIT then no longer sees that they never return, and saves registers for the code after the call.
/// </summary>
internal static class CodecErrors
{
    [DoesNotReturn] public static int DestinationTooShort(int length, long needed) =>
        throw new ArgumentException($"The destination has {length} bytes, but {needed} are needed. Nothing was written. Ask Size first, "
            + "or use TryWrite.", "destination");

    [DoesNotReturn] public static ulong Negative(long value) =>
        throw new ArgumentOutOfRangeException(nameof(value), value, "This format has no negative numbers. Write its "
            + "Varint.ZigZag.");

    [DoesNotReturn] public static int CountOutOfRange(int count, int most) =>
        throw new ArgumentOutOfRangeException(nameof(count), count, $"A batch has from 0 to {most} values: an int counts its bytes.");

    [DoesNotReturn] public static int TextTooLong(long size) =>
        throw new ArgumentException($"The text takes {size} bytes, and a text has at most {int.MaxValue}.", "value");
}
