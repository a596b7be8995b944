namespace MemPrims.Wire;

// What may be wrong with a message on the wire, in words.
internal static class WireErrors
{
    public const string Truncated = "the message ends inside a value: it was cut, or a length before is wrong",
        LongVarint = "a varint goes on after its tenth byte",
        NoStack = "nested deeper than can be followed on this thread's stack: lower MaxDepth, or use a thread with a larger one",
        TooDeepGroups = "groups are nested deeper than the 100 levels, or those of DecodeOptions.MaxDepth, that are allowed",
        InvalidUtf8 = "the text is not UTF-8. Declare the field as bytes if it holds arbitrary bytes";

    public static string BadTag(ulong tag) =>
        tag > uint.MaxValue ? $"the tag {tag} is above 32 bits; field numbers end at 536,870,911"
        : tag >> 3 == 0 ? "a tag has the field number 0, which no field has: these bytes are no protobuf message, or are damaged"
        : (tag & 7) < 6 ? $"the tag of field {tag >> 3} is written in more than five bytes"
        : $"field {tag >> 3} has the wire type {tag & 7}, which does not exist";

    public static string BadLength(ulong length, long room) =>
        $"a length of {length} where {room} bytes are left: the message was cut, or the length is wrong";

    public static string TooDeep(int most) => $"nested deeper than {most} levels. Raise DecodeOptions.MaxDepth if the sender is trusted";

    public static string TooMuch(long budget) =>
        $"its messages and lists take more than {budget} bytes of memory. Raise DecodeOptions.MaxMemory if the sender is trusted";

    public static string UnexpectedEndGroup(int number) => $"a group with the field number {number} ends here, but none is open";

    public static string UnclosedGroup(int number) => $"the group with the field number {number} has no end";

    public static string NotWhole(int size) => $"packed values end inside a value of {size} bytes";

    public static WireException TooLarge(long size, long budget) => new(
        $"the message has {size} bytes or more; the limit is {budget}. Raise DecodeOptions.MaxBytes if the sender is trusted", budget);

    public static InvalidOperationException TooLong() =>
        new("The message would have 2 GiB or more, which no protobuf reader accepts. Split it.");

    public static InvalidOperationException TooLongForArray(long length) => new(
        $"The message has {length} bytes, and an array at most {Array.MaxLength}. Write it to a SegmentList or a stream, or split it.");
}
