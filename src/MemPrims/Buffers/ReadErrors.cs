namespace MemPrims.Buffers;

// What the readers throw. A reader writes `throw ReadErrors.Of(...)`, so the JIT sees that nothing follows the call, and the code that
// makes the message is not inlined into the reader.
internal static class ReadErrors
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Exception Of(OperationStatus status, string item, long position, long remaining) => status switch
    {
        OperationStatus.NeedMoreData => new DamagedDataException(
            $"The source ends inside the {item} at position {position}: {remaining} bytes are left. "
                + "Read on when more has come, or treat it as cut off.", position),
        _ => new DamagedDataException($"The bytes at position {position} are not a valid {item}, in the one form that is written, or are "
            + "more than the reader's MaxLength or the type of the value allow.", position),
    };
}
