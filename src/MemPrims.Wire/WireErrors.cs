using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Wire;

// Faults of a message on the wire, thrown from here to keep the code that finds them small.
internal static class WireErrors
{
    [DoesNotReturn]
    public static void BadTag(ulong tag, long offset, string path) => throw new WireException(
        tag > uint.MaxValue ? $"the tag {tag} is above 32 bits; field numbers end at 536,870,911"
        : tag >> 3 == 0 ? "a tag has the field number 0, which no field has: these bytes are no protobuf message, or are damaged"
        : (tag & 7) < 6 ? $"the tag of field {tag >> 3} is written in more than five bytes"
        : $"field {tag >> 3} has the wire type {tag & 7}, which does not exist", offset, path);

    [DoesNotReturn]
    public static void Truncated(long offset, string path) =>
        throw new WireException("the message ends inside a value: it was cut, or a length before is wrong", offset, path);

    [DoesNotReturn]
    public static void LongVarint(long offset, string path) =>
        throw new WireException("a varint goes on after its tenth byte", offset, path);

    [DoesNotReturn]
    public static void BadLength(ulong length, long room, long offset, string path) =>
        throw new WireException($"a length of {length} where {room} bytes are left: the message was cut, or the length is wrong", offset,
            path);

    [DoesNotReturn]
    public static void TooDeep(int most, long offset, string path) => throw new WireException(
        $"nested deeper than {most} levels. Raise DecodeOptions.MaxDepth if the sender is trusted", offset, path);

    [DoesNotReturn]
    public static void NoStack(long offset, string path) =>
        throw new WireException("nested deeper than can be followed on this thread's stack", offset, path);

    [DoesNotReturn]
    public static void TooDeepGroups(long offset) => throw new WireException("groups are nested deeper than 100 levels", offset, "");

    [DoesNotReturn]
    public static void TooMuch(long budget, long offset, string path) => throw new WireException(
        $"its messages and lists take more than {budget} bytes of memory. "
        + "Raise DecodeOptions.MaxMemory if the sender is trusted",
        offset, path);

    [DoesNotReturn]
    public static void TooLarge(long size, long budget) =>
        throw new WireException($"the message has {size} bytes or more; the limit is {budget}. "
            + "Raise DecodeOptions.MaxBytes if the sender is trusted", budget, "");

    [DoesNotReturn]
    public static void UnexpectedEndGroup(int number, long offset, string path) =>
        throw new WireException($"a group with the field number {number} ends here, but none is open", offset, path);

    [DoesNotReturn]
    public static void UnclosedGroup(int number, long offset, string path) =>
        throw new WireException($"the group with the field number {number} has no end", offset, path);

    [DoesNotReturn]
    public static void InvalidUtf8(long offset, string path) =>
        throw new WireException("the text is not UTF-8. Declare the field as bytes if it holds arbitrary bytes", offset, path);

    [DoesNotReturn]
    public static void NotWhole(int size, long offset, string path) =>
        throw new WireException($"packed values end inside a value of {size} bytes", offset, path);

    [DoesNotReturn]
    public static void TooLong() =>
        throw new InvalidOperationException("The message would have 2 GiB or more, which no protobuf reader accepts. Split it.");

    [DoesNotReturn]
    public static void TooLongForArray(long length) => throw new InvalidOperationException(
        $"The message has {length} bytes, and an array at most {Array.MaxLength}. Write it to a SegmentList or a stream, or split it.");
}
