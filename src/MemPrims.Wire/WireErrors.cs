namespace MemPrims.Wire;

// Faults of a message on the wire, made here to keep the code that finds them small.
internal static class WireErrors
{
    public static WireException BadTag(ulong tag, long offset, string path) => new(
        tag > uint.MaxValue ? $"the tag {tag} is above 32 bits; field numbers end at 536,870,911"
        : tag >> 3 == 0 ? "a tag has the field number 0, which no field has: these bytes are no protobuf message, or are damaged"
        : (tag & 7) < 6 ? $"the tag of field {tag >> 3} is written in more than five bytes"
        : $"field {tag >> 3} has the wire type {tag & 7}, which does not exist", offset, path);

    public static WireException Truncated(long offset, string path) =>
        new("the message ends inside a value: it was cut, or a length before is wrong", offset, path);

    public static WireException LongVarint(long offset, string path) =>
        new("a varint goes on after its tenth byte", offset, path);

    public static WireException BadLength(ulong length, long room, long offset, string path) =>
        new($"a length of {length} where {room} bytes are left: the message was cut, or the length is wrong", offset,
            path);

    public static WireException TooDeep(int most, long offset, string path) => new(
        $"nested deeper than {most} levels. Raise DecodeOptions.MaxDepth if the sender is trusted", offset, path);

    public static WireException NoStack(long offset, string path) =>
        new("nested deeper than can be followed on this thread's stack", offset, path);

    public static WireException TooDeepGroups(long offset) =>
        new("groups are nested deeper than the 100 levels, or those of DecodeOptions.MaxDepth, that are allowed", offset, "");

    public static WireException TooMuch(long budget, long offset, string path) => new(
        $"its messages and lists take more than {budget} bytes of memory. "
        + "Raise DecodeOptions.MaxMemory if the sender is trusted",
        offset, path);

    public static WireException TooLarge(long size, long budget) =>
        new($"the message has {size} bytes or more; the limit is {budget}. "
            + "Raise DecodeOptions.MaxBytes if the sender is trusted", budget, "");

    public static WireException UnexpectedEndGroup(int number, long offset) =>
        new($"a group with the field number {number} ends here, but none is open", offset, "");

    public static WireException UnclosedGroup(int number, long offset, string path) =>
        new($"the group with the field number {number} has no end", offset, path);

    public static WireException InvalidUtf8(long offset, string path) =>
        new("the text is not UTF-8. Declare the field as bytes if it holds arbitrary bytes", offset, path);

    public static WireException NotWhole(int size, long offset, string path) =>
        new($"packed values end inside a value of {size} bytes", offset, path);

    public static InvalidOperationException TooLong() =>
        new("The message would have 2 GiB or more, which no protobuf reader accepts. Split it.");

    public static InvalidOperationException TooLongForArray(long length) => new(
        $"The message has {length} bytes, and an array at most {Array.MaxLength}. Write it to a SegmentList or a stream, or split it.");
}
