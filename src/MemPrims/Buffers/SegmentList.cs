using System.Buffers;

namespace MemPrims.Buffers;

/// <summary>
/// Bytes that grow: a chain of pooled, pinned segments that is never copied when it grows, read as a <see cref="ReadOnlySequence{T}"/>.
/// Write through one of the appenders, by <see cref="Append{T}(in T)"/>, as an <see cref="IBufferWriter{T}"/>, or take memory in by
/// reference with <see cref="Splice"/>.
/// </summary>
/// <remarks>
/// <para>A sequence that was handed out stays as it was while the list grows. Cutting, clearing or disposing the list ends its
/// life.</para>
/// <para>One appender at a time: the second one is refused, and so is everything else that writes. What an open one has written is not
/// part of the list until it commits. A list that is disposed below an open appender keeps that memory for it, and the appender throws at
/// the end of its segment or at Commit.</para>
/// <para>Not for several threads at once.</para>
/// </remarks>
public sealed unsafe partial class SegmentList : IBufferWriter<byte>, IDisposable
{
    // What is published ends at _position in _end. While an appender is open, it writes on in _tail; otherwise both are the same.
    private readonly Segment _first;
    private Segment _end, _tail;
    private byte* _position;

    // Who may write now: nobody else while an appender is open. While a value of SegmentList.Append encodes itself, the handle of its
    // type.
    private long _user;
    private const long Nobody = 0, AnAppender = 1, Disposed = 2, ASource = 3;

    /// <summary>Makes an empty list. It takes no memory before something is written.</summary>
    public SegmentList() => _first = _end = _tail = new();

    /// <summary>The bytes published so far.</summary>
    /// <exception cref="ObjectDisposedException">The list was disposed.</exception>
    public long Length
    {
        get
        {
            ObjectDisposedException.ThrowIf(_user == Disposed, this);
            return _end.Position + (_position - _end.Start);
        }
    }

    // Where the room of the working segment ends; an appender keeps it in a register.
    internal byte* Limit { get; private set; }

    // Changes whenever an appender opens, moves to another segment or closes: one that has another number is out of date.
    internal long Ticket { get; private set; }

    /// <summary>What is published, without copying.</summary>
    /// <exception cref="InvalidOperationException">A hole of <see cref="LeaveHole"/> is not filled.</exception>
    public ReadOnlySequence<byte> AsSequence()
    {
        long length = Length;
        if (_holes.FirstOpen(0, out long hole, out int size) && hole < length) BufferErrors.HoleIsOpen(hole, size);
        return length == 0 ? ReadOnlySequence<byte>.Empty : new(_first, 0, _end, (int)(_position - _end.Start));
    }

    /// <summary>
    /// Appends a value that encodes itself, measured once and written without checks. What throws in it appends nothing.
    /// </summary>
    /// <exception cref="InvalidOperationException">The value wrote more than its bound; the message names the type.</exception>
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct
    {
        int bound = Encodable.Bound(in value);
        if (_user != Nobody || Limit - _position < bound) MakeRoom(bound);
        byte* end;
        // An encoder that writes to this very list is refused, before its bytes mix with those of the value.
        _user = Encodable.Name<T>();
        try
        {
            end = Encodable.Encode(in value, _position, bound, Limit);
        }
        finally
        {
            _user = Nobody;
        }
        _position = end;
    }

    /// <summary>Appends a block, which may go over several segments.</summary>
    public void Append(ReadOnlySpan<byte> source)
    {
        if (_user != Nobody || Limit - _position < source.Length) MakeRoom(0);
        try
        {
            _position = WriteAcross(_position, source);
            _end = _tail;
        }
        catch
        {
            TakeBack();
            throw;
        }
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        MakeRoom(Math.Max(sizeHint, 1));
        return new(_position, (int)(Limit - _position));
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        MakeRoom(Math.Max(sizeHint, 1));
        return _end.RoomAfter((int)(_position - _end.Start));
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        MakeRoom(0);
        if ((uint)count > Limit - _position) BufferErrors.AdvancedTooFar(count, Limit - _position);
        _position += count;
    }

    /// <summary>Drops everything and keeps the memory for what is written next.</summary>
    public void Clear() => Truncate(0);

    /// <summary>Drops what lies behind <paramref name="length"/> and keeps the memory for what is written next.</summary>
    /// <exception cref="InvalidOperationException">The cut goes through a hole that is not filled. Nothing was dropped.</exception>
    public void Truncate(long length)
    {
        MakeRoom(0);
        if ((ulong)length > (ulong)Length) BufferErrors.LengthOutOfRange(length, Length);
        if (_holes.Across(length, out long hole, out int size)) BufferErrors.HoleIsCut(hole, size, length);
        Segment at = _first;
        while (at != _end && at.Position + at.ClosedLength < length) at = at.Following!;
        Cut(at, (int)(length - at.Position));
    }

    /// <summary>
    /// Gives up an appender that was lost without being disposed: what it wrote is dropped. Without one, nothing happens.
    /// </summary>
    public void Abandon()
    {
        if (_user == AnAppender) TakeBack();
        else Refuse();
    }

    /// <summary>Gives the memory back. Once is enough; more does no harm.</summary>
    public void Dispose()
    {
        if (_user == Disposed) return;
        if (_user is not (Nobody or AnAppender or ASource)) Refuse();
        bool isOpen = _user != Nobody;
        _user = Disposed;
        Ticket++;
        _holes.Clear();
        // An appender that is open, or a source that is being read, may write once more before it learns of this: nobody else gets its
        // memory.
        if (!isOpen) ReturnAll();
    }
}
