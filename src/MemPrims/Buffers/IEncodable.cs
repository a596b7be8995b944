namespace MemPrims.Buffers;

/// <summary>
/// A value that says how many bytes it takes at most, and writes itself. A message of several fields is so measured once, and then
/// written without a check for each field.
/// <code>
/// static int Bound(in Order order) => 16 + Varint.MaxSize;
///
/// static void Encode(in Order order, ref UnsafeAppender to)
/// {
///     UnsafeAppender local = to;      // a local variable stays in registers; a write through `to` goes to memory
///     local.Write(order.Id);
///     local.WriteVarint(order.Quantity);
///     to = local;
/// }
/// </code>
/// </summary>
public interface IEncodable<TSelf>
    where TSelf : IEncodable<TSelf>, allows ref struct
{
    /// <summary>
    /// The most bytes that <see cref="Encode"/> writes for this value. A bound that is too small is an error that names the type. One that
    /// is too large costs nothing afterwards, but that many bytes must be free while the value is written. So a
    /// <see cref="ReservedAppender"/> refuses a value whose bound is more than it has left.
    /// </summary>
    static abstract int Bound(in TSelf value);

    /// <summary>
    /// Writes the value. Values inside it are written by <see cref="UnsafeAppender.Append{T}"/>; their bounds are part of this one's.
    /// Assign nothing to <paramref name="to"/> but a copy of it: another appender is an error that names the type.
    /// </summary>
    static abstract void Encode(in TSelf value, ref UnsafeAppender to);
}

// Calls the two members of IEncodable<TSelf> and checks what they answer.
internal static unsafe class Encodable
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Bound<T>(in T value)
        where T : IEncodable<T>, allows ref struct
    {
        int bound = T.Bound(in value);
        if (bound < 0) BufferErrors.ThrowBoundIsNegative(typeof(T), bound);
        return bound;
    }

    // The type as a number, which fits into a field of an appender. Errors turn it back into the type's name.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Name<T>()
        where T : allows ref struct => typeof(T).TypeHandle.Value;

    // Writes the value at `at`, where it has `bound` bytes. `limit` is the end of the segment; SegmentPool.Slack bytes follow it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Encode<T>(in T value, byte* at, int bound, byte* limit)
        where T : IEncodable<T>, allows ref struct
    {
        UnsafeAppender to = new(at, at + bound, Name<T>());
        T.Encode(in value, ref to);
        byte* end = to.Place;
        if ((nuint)(end - at) > (nuint)bound) Fail(typeof(T), at, bound, end, limit, to.End);
        return end;
    }

    [DoesNotReturn]
    private static void Fail(Type type, byte* at, int bound, byte* end, byte* limit, byte* given)
    {
        // With an end of its own it is not the appender that Encode was given. Its place then says nothing of what was written here.
        if (given != at + bound) BufferErrors.ThrowEncodeGaveAnother(type);
        if (end > limit + SegmentPool.Slack || end < at) BufferErrors.ThrowMemoryIsDamaged(type, bound, end - at);
        throw BufferErrors.BoundTooSmall(type, bound, end - at);
    }
}
