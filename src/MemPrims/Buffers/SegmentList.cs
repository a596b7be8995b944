namespace MemPrims.Buffers;

/// <summary>
/// A growing list of bytes: a chain of pooled, pinned segments. It grows without copying, and is read as a
/// <see cref="ReadOnlySequence{T}"/>. Write to it through one of the appenders, by <see cref="Append{T}(in T)"/>, or as an
/// <see cref="IBufferWriter{T}"/>. <see cref="Splice"/> appends memory without copying it.
/// </summary>
/// <remarks>
/// <para>A sequence that was handed out does not change while the list grows. It is valid until the list is cut, cleared or
/// disposed.</para>
/// <para>One appender is open at a time. Meanwhile the list refuses a second one, and every other write. What the appender has written is
/// not part of the list until it commits. If the list is disposed while an appender is open, the appender throws at the end of its
/// segment or at Commit. Until then it writes to memory that the list leaves to the garbage collector, so nobody else's bytes are
/// overwritten.</para>
/// <para>Not for several threads at once.</para>
/// </remarks>
public sealed unsafe partial class SegmentList : IBufferWriter<byte>, IDisposable
{
    // The published bytes end at _position in the segment _end. An open appender writes after them, in _tail. Without one, _tail is _end.
    private readonly Segment _first;
    private Segment _end, _tail;
    private byte* _position;

    // Who is writing now: one of these constants, or, while SegmentList.Append runs a value's Encode, the handle of that value's type.
    private long _user;
    private const long Nobody = 0, AnAppender = 1, Disposed = 2, ASource = 3;

    /// <summary>Makes an empty list. It takes no memory until something is written.</summary>
    public SegmentList() => _first = _end = _tail = new();

    /// <summary>The bytes published so far.</summary>
    /// <exception cref="ObjectDisposedException">The list was disposed.</exception>
    public long Length
    {
        get
        {
            ObjectDisposedException.ThrowIf(_user == Disposed, this);
            return _end.RunningIndex + (_position - _end.Start);
        }
    }

    // The end of the working segment. An appender keeps a copy of it in a register.
    internal byte* Limit { get; private set; }

    // Changes whenever an appender opens, moves to another segment or closes. So an appender whose ticket differs is out of date.
    internal long Ticket { get; private set; }

    /// <summary>Everything published, without a copy.</summary>
    public ReadOnlySequence<byte> AsSequence() =>
        Length == 0 ? ReadOnlySequence<byte>.Empty : new(_first, 0, _end, (int)(_position - _end.Start));

    /// <summary>
    /// Appends a value that encodes itself. It is measured once and then written without checks. If it throws, nothing is appended.
    /// </summary>
    /// <exception cref="InvalidOperationException">The value wrote more than its bound; the message names the type.</exception>
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct
    {
        int bound = Encodable.Bound(in value);
        if (_user != Nobody || Limit - _position < bound) MakeRoom(bound);
        byte* end;
        // A value that writes to this very list is refused, before its bytes mix with those of the appender.
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

    /// <summary>Appends a block. It may be spread over several segments.</summary>
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

    /// <summary>
    /// From this many bytes on, <see cref="Splice"/> refers to memory instead of copying it. For less, a copy costs less than one more
    /// segment, which every reader has to step over: benchmark cases "Splice or copy".
    /// </summary>
    public const int SpliceThreshold = 8192;

    /// <summary>
    /// Appends memory without copying it, if it has <see cref="SpliceThreshold"/> bytes or more. Less is copied. The caller must not
    /// change that memory, or give it back to a pool, until the list is cut before it, cleared or disposed.
    /// </summary>
    public void Splice(ReadOnlyMemory<byte> memory)
    {
        if (memory.Length < SpliceThreshold)
        {
            Append(memory.Span);
            return;
        }
        MakeRoom(0);
        int used = (int)(_position - _tail.Start);
        Segment link = _tail, rest = _spares.TakeLink();
        if (used > 0)
        {
            link = _spares.TakeLink();
            _tail.Close(used, link);
            rest.GoOn(_tail, used);
        }
        else
        {
            // The last segment is still empty. The caller's memory takes its place in the chain.
            rest.TakeOver(_tail);
        }
        link.Refer(memory);
        link.Close(memory.Length, rest);
        _end = _tail = rest;
        _position = rest.Start;
        Limit = rest.Start + rest.Capacity;
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
        if ((uint)count > Limit - _position) BufferErrors.ThrowAdvancedTooFar(count, Limit - _position);
        _position += count;
    }

    /// <summary>Drops everything and keeps the memory for what is written next.</summary>
    public void Clear() => Truncate(0);

    /// <summary>Drops what comes after <paramref name="length"/> and keeps the memory for what is written next.</summary>
    public void Truncate(long length)
    {
        MakeRoom(0);
        if ((ulong)length > (ulong)Length) BufferErrors.ThrowLengthOutOfRange(length, Length);
        Segment at = _first;
        while (at != _end && at.RunningIndex + at.Memory.Length < length) at = at.Following!;
        Cut(at, (int)(length - at.RunningIndex));
    }

    /// <summary>
    /// Closes an appender that was lost without Dispose, and drops what it wrote. Does nothing if no appender is open.
    /// </summary>
    public void Abandon()
    {
        if (_user == AnAppender) TakeBack();
        else Refuse();
    }

    /// <summary>Gives the memory back. A second call does nothing.</summary>
    public void Dispose()
    {
        if (_user == Disposed) return;
        if (_user is not (Nobody or AnAppender or ASource)) Refuse();
        bool isOpen = _user != Nobody;
        _user = Disposed;
        Ticket++;
        _holes.Clear();
        // An open appender, or a source that is being read, may still write before it learns of this, and a copy may still read. So nobody
        // else gets that memory.
        if (!isOpen && _copies == 0) ReturnAll();
    }
}
