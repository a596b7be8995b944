using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

/// <summary>
/// A value that tells how many bytes it takes at most, and writes itself: a message of several fields is measured once and then written
/// without checks.
/// <code>
/// static int Bound(in Order order) => 16 + Varint.MaxSize;
///
/// static void Encode(in Order order, ref UnsafeAppender to)
/// {
///     UnsafeAppender local = to;      // in registers; through the reference each write would go by memory
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
    /// The most bytes that <see cref="Encode"/> writes for this value. Too small is an error that names the type. Too large takes no
    /// memory
    /// for good, but so much must be free: a <see cref="ReservedAppender"/> refuses a value whose bound is more than it has left.
    /// </summary>
    static abstract int Bound(in TSelf value);

    /// <summary>
    /// Writes the value. A value inside it is written by <see cref="UnsafeAppender.Append{T}"/>, and its bound is part of this one's.
    /// </summary>
    static abstract void Encode(in TSelf value, ref UnsafeAppender to);
}

/// <summary>The two halves of <see cref="IEncodable{TSelf}"/>, called with what can go wrong checked.</summary>
internal static unsafe class Encodable
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Bound<T>(in T value)
        where T : IEncodable<T>, allows ref struct
    {
        int bound = T.Bound(in value);
        if (bound < 0) BufferErrors.BoundIsNegative(typeof(T), bound);
        return bound;
    }

    /// <summary>The type as a number, which an appender has room for; an error makes a name of it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Name<T>()
        where T : allows ref struct => typeof(T).TypeHandle.Value;

    /// <summary>
    /// Writes the value into the <paramref name="bound"/> bytes at a place; <paramref name="limit"/> is where the memory ends, but for
    /// the slack.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Encode<T>(in T value, byte* at, int bound, byte* limit)
        where T : IEncodable<T>, allows ref struct
    {
        UnsafeAppender to = new(at, at + bound, Name<T>());
        T.Encode(in value, ref to);
        byte* end = to.Place;
        if ((nuint)(end - at) > (nuint)bound) Fail(typeof(T), at, bound, end, limit);
        return end;
    }

    [DoesNotReturn]
    private static void Fail(Type type, byte* at, int bound, byte* end, byte* limit) => throw Failure(type, at, bound, end, limit);

    private static Exception Failure(Type type, byte* at, int bound, byte* end, byte* limit)
    {
        if (end > limit + SegmentPool.Slack || end < at) BufferErrors.MemoryIsDamaged(type, bound, end - at);
        return BufferErrors.BoundTooSmall(type, bound, end - at);
    }
}
