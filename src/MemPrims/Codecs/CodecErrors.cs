using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Codecs;

/// <summary>
/// What the codecs throw. The throws are kept out of the callers, which then stay small enough to be inlined. They are not marked
/// NoInlining: the JIT then no longer sees that they never return, and saves registers for the code behind the call.
/// </summary>
internal static class CodecErrors
{
    [DoesNotReturn]
    public static int DestinationTooShort(int length, long needed) =>
        throw new ArgumentException($"The destination has {length} bytes, but {needed} are needed. Nothing was written. Ask Size first, "
            + "or use TryWrite.", "destination");

    [DoesNotReturn]
    public static ulong Negative(long value) =>
        throw new ArgumentOutOfRangeException(nameof(value), value, "This format has no negative numbers. Varint.WriteZigZag writes "
            + "them.");

    [DoesNotReturn]
    public static int CountOutOfRange(int count, int most) =>
        throw new ArgumentOutOfRangeException(nameof(count), count, $"A batch has from 0 to {most} values: an int counts its bytes.");

    [DoesNotReturn]
    public static int TextTooLong(long size) =>
        throw new ArgumentException($"The text takes {size} bytes, and a text has at most {int.MaxValue}.", "value");

    [DoesNotReturn]
    public static void NotAScalar(Type type) =>
        throw new NotSupportedException($"{type} is not a primitive, an enum, Guid, Int128, UInt128 or Half, and may have padding bytes. "
            + (type == typeof(decimal) ? "Write the four numbers of decimal.GetBits."
                : type == typeof(DateTime) || type == typeof(DateTimeOffset) || type == typeof(TimeSpan) ? "Write its Ticks."
                : "Write its fields one by one, or make it IEncodable. WriteWithPadding writes it as it lies in memory."));

    [DoesNotReturn]
    public static void WroteAnotherSize(string codec, int size, int written) =>
        throw new InvalidOperationException($"The codec of a {codec} wrote {written} bytes, where its Size or MaxSize is {size}. Nothing of "
            + "it was appended. Correct the codec.");

    [DoesNotReturn]
    public static void ConsumedTooMuch(string codec, int consumed, int length) =>
        throw new InvalidOperationException($"The codec of a {codec} consumed {consumed} bytes of a source of {length}. Correct the codec.");
}
