using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Buffers;

/// <summary>
/// What lists and appenders throw, kept out of the callers so that they stay small enough to be inlined. Not marked NoInlining: the JIT
/// would not see that they never return, and keep registers for afterwards, which cost a third in the loop of the case "ReservedAppender".
/// </summary>
internal static class BufferErrors
{
    [DoesNotReturn]
    public static void AppenderIsOpen() =>
        throw new InvalidOperationException("Another appender of this list is open: commit or dispose it first. SegmentList.Abandon "
            + "gives up one that was lost without Dispose.");

    [DoesNotReturn]
    public static void SourceIsRead() =>
        throw new InvalidOperationException("A stream or a pipe is being read into this list: await AppendAsync before you write.");

    [DoesNotReturn]
    public static void AppenderIsClosed() =>
        throw new InvalidOperationException("This appender is closed: it was committed, cancelled or disposed, never opened, or one of "
            + "its writes threw. Nothing was written; open a new one.");

    [DoesNotReturn]
    public static void AppenderIsStale() =>
        throw new InvalidOperationException("This appender is out of date: a copy of it went on or was closed, or the list gave it up. "
            + "Nothing of this copy was published; pass appenders by ref.");

    [DoesNotReturn]
    public static void HoleIsOpen(long position, int length) =>
        throw new InvalidOperationException($"The hole of {length} bytes at position {position} is not filled. Fill every hole before "
            + $"its bytes are published or read.");

    [DoesNotReturn]
    public static void HoleIsCut(long position, int length, long cut) => throw new InvalidOperationException(
        $"A cut at {cut} goes through the hole of {length} bytes at position {position}, which is not filled. Fill it, or cut before it.");

    [DoesNotReturn]
    public static void ValueCannotClose() =>
        throw new InvalidOperationException("A value that encodes itself cannot commit: the appender around it does, or "
            + "SegmentList.Append.");

    public static Exception Overrun(long room, long needed) =>
        new InvalidOperationException($"The reservation has {room} bytes left where {needed} are written. Nothing of this appender is "
            + $"published; reserve as much as is written.");

    public static Exception BoundTooSmall(Type type, int bound, long written) =>
        new InvalidOperationException($"{type} wrote {written} bytes where its Bound said at most {bound}. Nothing of it was appended; "
            + $"correct {type.Name}.Bound.");

    [DoesNotReturn]
    public static void BoundReached(long handle, long room, long needed)
    {
        Type type = NameOf(handle);
        throw new InvalidOperationException($"{type} has {Math.Max(room, 0)} bytes of its Bound left where it writes {needed}. Nothing "
            + $"of it was appended; correct {type.Name}.Bound.");
    }

    [DoesNotReturn]
    public static void NegativeNumber(long value) =>
        throw new ArgumentOutOfRangeException(nameof(value), value, "This format has no negative numbers: write it by WriteZigZag, "
            + "which has.");

    [DoesNotReturn]
    public static void BoundIsNegative(Type type, int bound) =>
        throw new InvalidOperationException($"{type}.Bound said {bound}: a bound is a number of bytes. Nothing was appended.");

    [DoesNotReturn]
    public static void EncodeUsedTheList(long handle) =>
        throw new InvalidOperationException($"{NameOf(handle)}.Encode wrote to the list that it is being appended to. Nothing of it was "
            + $"appended; write to the appender that it was given.");

    /// <summary>Memory beyond any array of ours was overwritten: going on would be a wrong answer somewhere else.</summary>
    [DoesNotReturn]
    public static void MemoryIsDamaged(Type type, int bound, long written) =>
        Environment.FailFast($"{type} wrote {written} bytes where its Bound said at most {bound}, and past the end of the memory that "
            + $"was there.");

    [DoesNotReturn]
    public static void NotAScalar(Type type) =>
        throw new NotSupportedException($"{type} is not a primitive, an enum, Guid, Int128, UInt128 or Half. A struct of fields may "
            + $"have padding: write the fields, make it IEncodable, or use WriteWithPadding knowingly.");

    [DoesNotReturn]
    public static void NegativeLength(string name, long length) =>
        throw new ArgumentOutOfRangeException(name, length, "A number of bytes is not negative.");

    [DoesNotReturn]
    public static void TooLargeAtOnce(long length, int most) =>
        throw new ArgumentOutOfRangeException("bytes", length, $"At most {most} bytes lie side by side in memory. Append in several "
            + $"steps.");

    [DoesNotReturn]
    public static void AdvancedBehindTheEnd(long bytes, long remaining) =>
        throw new ArgumentOutOfRangeException(nameof(bytes), bytes, $"The source has {remaining} bytes left.");

    [DoesNotReturn]
    public static void FrameDoesNotFit(int length, int payload) =>
        throw new ArgumentException($"The destination has {length} bytes, the frame {(long)Frame.HeaderSize + payload}; nothing was "
            + $"written.", "destination");

    [DoesNotReturn]
    public static void AdvancedTooFar(int count, long room) =>
        throw new ArgumentOutOfRangeException(nameof(count), count, $"Only {room} bytes were given by GetSpan or GetMemory.");

    [DoesNotReturn]
    public static void LengthOutOfRange(long length, long current) =>
        throw new ArgumentOutOfRangeException(nameof(length), length, $"The list can be cut to a length from 0 to what it has, "
            + $"{current}.");

    [DoesNotReturn]
    public static void NoHoleInAValue() =>
        throw new InvalidOperationException("A value that encodes itself leaves no holes: it knows its parts, so it can write their "
            + "length before them.");

    [DoesNotReturn]
    public static void HoleIsStale() =>
        throw new InvalidOperationException("This hole is no longer there: it was filled already, or the list was cut, cleared or "
            + "disposed, or its appender was dropped.");

    [DoesNotReturn]
    public static void HoleHasAnotherSize(int hole, int given) =>
        throw new ArgumentException($"The hole has {hole} bytes and is filled at once; {given} were given.");

    private static Type NameOf(long handle) => Type.GetTypeFromHandle(RuntimeTypeHandle.FromIntPtr((nint)handle))!;
}
