namespace MemPrims.Codecs;

// What the codecs throw. The throws are kept out of the callers, which then stay small enough to be inlined. They are not marked
// NoInlining: the JIT then no longer sees that they never return, and saves registers for the code after the call.
internal static class CodecErrors
{
    [DoesNotReturn]
    public static int ThrowDestinationTooShort(int length, long needed) =>
        throw new ArgumentException($"The destination has {length} bytes, but {needed} are needed. Nothing was written. Size tells it "
            + "before, and SizeOfText and its like of a SortableKey.", "destination");

    [DoesNotReturn]
    public static ulong ThrowNegative(long value) =>
        throw new ArgumentOutOfRangeException(nameof(value), value, "This format has no negative numbers. Write its "
            + "Varint.ZigZag.");

    [DoesNotReturn]
    public static int ThrowCountOutOfRange(int count, int most) =>
        throw new ArgumentOutOfRangeException(nameof(count), count, $"A batch has from 0 to {most} values: an int counts its bytes.");

    [DoesNotReturn]
    public static int ThrowTextTooLong(long size) =>
        throw new ArgumentException($"The text takes {size} bytes, and a text has at most {int.MaxValue}.", "value");

    public static DamagedDataException NoVarint(OperationStatus status, int length) => new(status == OperationStatus.NeedMoreData
        ? $"The source has {length} bytes and ends inside the varint. Read on when more has come, or treat it as cut off."
        : "The source does not begin with a varint in the one form that is written: it is damaged or something else.", 0);

    public static DamagedDataException PackedIds(long offset, string damage) =>
        new($"{damage} (at byte {offset}). The bytes are damaged or no list of PackedIds: restore them or encode the ids again.", offset);

    public static ArgumentException TooFewIds(int count, int room) =>
        new($"The list has {count} ids, but the destination takes {room}. Ask Count first; nothing was written.", "destination");

    public static InvalidOperationException NoId() => new("The list is empty: it has no least and no greatest id. Ask Count first.");

    public static InvalidOperationException ChangedIds() =>
        new("The ids have changed while they were encoded: keep other threads from them, and encode them again.");

    public static ArgumentException NotIncreasing(int position, ulong before, ulong at) =>
        new($"The ids must be strictly increasing, but at position {position} the id {at} follows {before}. "
            + "Sort them and leave out what is there twice.", "ids");
}
