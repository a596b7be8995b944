using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

/// <summary>
/// Appends to a <see cref="SegmentList"/> without any check. Its room is reserved once, when it is opened. It is the fastest appender,
/// for writes whose size is known beforehand.
/// </summary>
/// <remarks>
/// <para><b>Readable range.</b> Only what is given to a write is read. All writes together must stay within the bytes reserved, or, inside
/// a value that encodes itself, within its bound. Writing more is noticed only at Commit, or at the end of the value: too late for the
/// memory behind it.</para>
/// <para><b>Overlap.</b> A block that is written must not lie in the reservation.</para>
/// <para><b>Alignment.</b> Any.</para>
/// <para><b>Lifetime.</b> From the constructor to Commit, Cancel or Dispose. The list must not be disposed meanwhile. Writes after that
/// are not noticed. An <see cref="IEncodable{TSelf}"/> may copy it to a local variable while it encodes, and assigns it back at its
/// end.</para>
/// <para><b>Wrong length.</b> Writing past the reservation overwrites other memory of the process.</para>
/// </remarks>
public unsafe ref partial struct UnsafeAppender : IAppender
{
    // Inside a value that encodes itself, _list is null, and _ticket is the handle of the value's type, which errors name.
    private SegmentList? _list;
    private byte* _position, _end;
    private long _ticket;

    /// <summary>Opens an appender that has room for <paramref name="bytes"/> bytes, in one segment.</summary>
    /// <exception cref="InvalidOperationException">Another one is open.</exception>
    public UnsafeAppender(SegmentList list, long bytes)
    {
        _position = list.Begin(bytes);
        _list = list;
        _end = _position + bytes;
        _ticket = list.Ticket;
    }

    internal UnsafeAppender(byte* position, byte* end, long type)
    {
        _position = position;
        _end = end;
        _ticket = type;
    }

    static bool IAppender.Grows => false;

    /// <summary>The position in the list of the next byte. Inside a value that encodes itself it is 0.</summary>
    public readonly long Position => _list is null ? 0 : SegmentList.PositionOf(_list, _position, _end, _ticket);

    /// <inheritdoc/>
    public readonly long RoomLeft => _end - _position;

    internal readonly byte* Place => _position;

    /// <inheritdoc cref="Appender.Write(ReadOnlySpan{byte})"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(scoped ReadOnlySpan<byte> source)
    {
        Block.Copy(new Span<byte>(_position, source.Length), source);
        _position += source.Length;
    }

    /// <summary>
    /// Writes a value that encodes itself. Its bound is not asked for: the reservation, or the bound of the outer value, includes it.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct
    {
        byte* end = _end;
        UnsafeAppender to = new(_position, end, Encodable.Name<T>());
        // The appender is closed while code of the value runs. If that throws, it stays closed.
        _end = null;
        T.Encode(in value, ref to);
        _end = end;
        _position = to._position;
    }

    /// <inheritdoc/>
    public Hole LeaveHole(int bytes)
    {
        if (_list is null) BufferErrors.NoHoleInAValue();
        if (bytes < 0) RefuseHole(bytes);
        Hole hole = _list!.Register(_position, bytes);
        _position += bytes;
        return hole;
    }

    /// <inheritdoc cref="Appender.Commit"/>
    public void Commit()
    {
        if (_list is null) BufferErrors.ValueCannotClose();
        byte* position = _position, end = _end;
        long tooMuch = position - end, ticket = Close();
        // Other memory may be damaged already, but the list is not: nothing is published.
        if (end != null && tooMuch > 0) SegmentList.FailOverrun(_list, ticket, 0, tooMuch);
        SegmentList.Publish(_list, position, end, ticket);
    }

    /// <inheritdoc/>
    public void Cancel()
    {
        if (_list is null) return;
        long ticket = Close();
        if (ticket != 0) _list.Drop(ticket);
    }

    /// <inheritdoc cref="Appender.Dispose"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        if (_ticket == 0 || _list is null) return;
        long ticket = _ticket;
        _position = _end = null;
        _ticket = 0;
        _list.Drop(ticket);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly byte* Claim(long bytes) => _position;

    [DoesNotReturn]
    void IAppender.FailOverrun(long bytes)
    {
        // A room of −1 means closed. After writes past the end the room is 0.
        long room = _end == null ? -1 : Math.Max(RoomLeft, 0);
        if (_list is null) BufferErrors.BoundReached(_ticket, room, bytes);
        SegmentList.FailOverrun(_list, Close(), room, bytes);
    }

    private long Close()
    {
        long ticket = _ticket;
        _position = _end = null;
        _ticket = 0;
        return ticket;
    }
}
