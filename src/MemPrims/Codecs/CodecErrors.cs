using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Codecs;

/// <summary>
/// The cold half of the codecs: what is thrown, kept out of the callers so that they stay small enough to be inlined.
/// Not marked NoInlining: the JIT would not see that they never return, and keep registers for afterwards.
/// </summary>
internal static class CodecErrors
{
    [DoesNotReturn]
    public static int DestinationTooShort(int length, long needed) =>
        throw new ArgumentException($"The destination has {length} bytes where {needed} are needed; nothing was written. Ask Size "
            + $"first, or use TryWrite.", "destination");

    [DoesNotReturn]
    public static int CountOutOfRange(int count, int most) =>
        throw new ArgumentOutOfRangeException(nameof(count), count, $"A batch has from 0 to {most} values, so that its bytes can be "
            + $"counted by an int.");
}
