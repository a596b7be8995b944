namespace MemPrims.Buffers;

// What lists, appenders and readers throw. The throws are kept out of the callers, which then stay small enough to be inlined. They are
// not marked NoInlining: the JIT then no longer sees that they never return, and saves registers for the code after the call. That cost a
// third in the loop of the benchmark case "ReservedAppender".
internal static class BufferErrors
{
    [DoesNotReturn]
    public static void ThrowAppenderIsOpen() =>
        throw new InvalidOperationException("Another appender of this list is open: commit or dispose it first. If it was lost "
            + "without Dispose, call SegmentList.Abandon.");

    [DoesNotReturn]
    public static void ThrowSourceIsRead() =>
        throw new InvalidOperationException("A stream or a pipe is being read into this list. Await AppendAsync before you write.");

    [DoesNotReturn]
    public static void ThrowAppenderIsClosed() =>
        throw new InvalidOperationException("This appender is closed, and nothing was written. It was committed, disposed or never "
            + "opened, or one of its writes threw. Open a new one.");

    [DoesNotReturn]
    public static void ThrowAppenderIsStale() =>
        throw new InvalidOperationException("This appender is out of date, and nothing of it was published. A copy of it wrote or was "
            + "closed, or SegmentList.Abandon was called. Pass appenders by ref.");

    [DoesNotReturn]
    public static void ThrowHoleIsOpen(long position, int length) =>
        throw new InvalidOperationException($"The hole of {length} bytes at position {position} is not filled. Fill every hole before "
            + "Commit.");

    [DoesNotReturn]
    public static void ThrowValueCannotClose() =>
        throw new InvalidOperationException("Encode must not call Commit. Whoever appends the value commits it.");

    public static Exception Overrun(long room, long needed) =>
        new InvalidOperationException($"The reservation has {room} bytes left where {needed} are written (by a value that encodes itself: "
            + $"its Bound). Nothing of this appender is published. Reserve more, or use Appender, which grows.");

    public static Exception BoundTooSmall(Type type, int bound, long written) =>
        new InvalidOperationException($"{type} wrote {written} bytes, but its Bound promised at most {bound}. Nothing of it was "
            + $"appended. Correct {type.Name}.Bound.");

    [DoesNotReturn]
    public static void ThrowNegativeNumber(long value) =>
        throw new ArgumentOutOfRangeException(nameof(value), value, "This format has no negative numbers. WriteZigZag writes them.");

    [DoesNotReturn]
    public static void ThrowWroteAnotherSize(string codec, int size, int written) =>
        throw new InvalidOperationException($"The codec of a {codec} wrote {written} bytes, where its Size or MaxSize is {size}. Nothing "
            + "of it was appended. Correct the codec.");

    [DoesNotReturn]
    public static void ThrowConsumedTooMuch(string codec, int consumed, int length) =>
        throw new InvalidOperationException($"The codec of a {codec} consumed {consumed} bytes of a source of {length}. Correct "
            + "the codec.");

    [DoesNotReturn]
    public static void ThrowBoundIsNegative(Type type, int bound) =>
        throw new InvalidOperationException($"{type}.Bound returned {bound}, but a number of bytes is never negative. Nothing was "
            + "appended.");

    [DoesNotReturn]
    public static void ThrowEncodeUsedTheList(long handle) =>
        throw new InvalidOperationException($"{NameOf(handle)}.Encode wrote to the list that its value is being appended to. Nothing of "
            + $"it was appended. Encode writes only to the appender that it is given.");

    [DoesNotReturn]
    public static void ThrowEncodeGaveAnother(Type type) =>
        throw new InvalidOperationException($"{type}.Encode assigned another appender, or one that is closed, to the one that it was "
            + "given. Nothing of it was appended. Write to the given one; only a copy of it may be assigned back.");

    // Memory that is not the list's was overwritten. The process ends: going on could give a wrong answer anywhere.
    [DoesNotReturn]
    public static void ThrowMemoryIsDamaged(Type type, int bound, long written) =>
        Environment.FailFast($"{type} wrote {written} bytes, but its Bound promised at most {bound}. The writes went past the end of the "
            + $"segment and may have overwritten other memory. Correct {type.Name}.Bound.");

    [DoesNotReturn]
    public static void ThrowStreamReadTooMuch(int read, int room) =>
        throw new IOException($"The stream said that it read {read} bytes where it was given room for {room}.");

    [DoesNotReturn]
    public static void ThrowSequenceHasAnotherLength(long length, long there) =>
        throw new InvalidOperationException($"The sequence has a Length of {length} bytes, but its segments up to here have {there}. "
            + "Correct the RunningIndex of the segments.");

    [DoesNotReturn]
    public static void ThrowNegativeMaxSize(string codec, int size) =>
        throw new InvalidOperationException($"The MaxSize of the codec of a {codec} is {size}. Correct the codec.");

    [DoesNotReturn]
    public static void ThrowTooLargeAtOnce(long length, int most) =>
        throw new ArgumentOutOfRangeException("bytes", length, $"One piece of memory has at most {most} bytes. Append in several steps.");

    [DoesNotReturn]
    public static void ThrowAdvancedPastTheEnd(long bytes, long remaining) =>
        throw new ArgumentOutOfRangeException(nameof(bytes), bytes, $"The source has {remaining} bytes left.");

    [DoesNotReturn]
    public static void ThrowAdvancedTooFar(int count, long room) =>
        throw new ArgumentOutOfRangeException(nameof(count), count, $"GetSpan or GetMemory gave only {room} bytes.");

    [DoesNotReturn]
    public static void ThrowLengthOutOfRange(long length, long current) =>
        throw new ArgumentOutOfRangeException(nameof(length), length, $"The new length must be from 0 to the present one, {current}.");

    [DoesNotReturn]
    public static void ThrowNoHoleInAValue() =>
        throw new InvalidOperationException("Encode must not leave holes. A value knows its parts, so it can write their "
            + "length first.");

    [DoesNotReturn]
    public static void ThrowHoleIsStale() =>
        throw new InvalidOperationException("This hole cannot be filled: it was filled before, or the appender that left it is closed.");

    [DoesNotReturn]
    public static void ThrowHoleHasAnotherSize(int hole, int given) =>
        throw new ArgumentException($"The hole has {hole} bytes, but {given} were given. A hole is filled as a whole, by one call.");

    // Why a reader finds no item. It writes `throw BufferErrors.NoItem(...)`: the JIT sees that nothing follows the call, and does not
    // inline the code that makes the message.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Exception NoItem(OperationStatus status, string item, long position, long remaining) => status switch
    {
        OperationStatus.NeedMoreData => new DamagedDataException(
            $"The source ends inside the {item} at position {position}: {remaining} bytes are left. "
                + "Read on when more has come, or treat it as cut off.", position),
        _ => new DamagedDataException($"The bytes at position {position} are not a valid {item}, in the one form that is written, or are "
            + "more than the reader's MaxLength or the type of the value allow.", position),
    };

    private static Type NameOf(long handle) => Type.GetTypeFromHandle(RuntimeTypeHandle.FromIntPtr((nint)handle))!;
}
