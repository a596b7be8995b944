using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

/// <summary>
/// Appends to a <see cref="SegmentList"/> within a reservation, which is made when it is opened. Every write is checked against its end.
/// A write past the end throws, and then nothing of the appender is published.
/// </summary>
/// <remarks>
/// <para>Commit, Dispose, exceptions and copies are as with <see cref="Appender"/>. Bytes that were reserved but not written are free
/// again afterwards.</para>
/// </remarks>
public unsafe ref partial struct ReservedAppender : IAppender
{
    // _end is null when the appender is closed. So every write then takes the slow path, which throws.
    private SegmentList? _list;
    private byte* _position, _end;
    private long _ticket;

    /// <summary>Opens an appender that has room for <paramref name="bytes"/> bytes, in one segment.</summary>
    /// <exception cref="InvalidOperationException">Another one is open.</exception>
    public ReservedAppender(SegmentList list, long bytes)
    {
        _position = list.Begin(bytes);
        _list = list;
        _end = _position + bytes;
        _ticket = list.Ticket;
    }

    static bool IAppender.Grows => false;

    /// <inheritdoc/>
    public readonly long Position => SegmentList.PositionOf(_list, _position, _end, _ticket);

    /// <inheritdoc cref="Appender.Written"/>
    public readonly ReadOnlySequence<byte> Written => SegmentList.WrittenBy(_list, _position, _end, _ticket);

    /// <inheritdoc/>
    public readonly long RoomLeft => _end - _position;

    /// <inheritdoc cref="Appender.Crc32C"/>
    public readonly uint Crc32C(long from, uint seed = 0) => SegmentList.SumOf(Written, Position, from, seed);

    /// <inheritdoc cref="Appender.Write(ReadOnlySpan{byte})"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(scoped ReadOnlySpan<byte> source)
    {
        byte* at = Claim(source.Length);
        Block.Copy(new Span<byte>(at, source.Length), source);
        _position = at + source.Length;
    }

    /// <inheritdoc cref="Appender.Append{T}"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct
    {
        byte* end = _end;
        // The appender is closed while code of the value runs. If that throws, it stays closed.
        _end = null;
        int bound = Encodable.Bound(in value);
        _end = end;
        byte* at = Claim(bound);
        _end = null;
        _position = Encodable.Encode(in value, at, bound, _list!.Limit);
        _end = end;
    }

    /// <inheritdoc/>
    public Hole LeaveHole(int bytes)
    {
        if (bytes < 0) RefuseHole(bytes);
        byte* at = Claim(bytes);
        if (_end == null) BufferErrors.AppenderIsClosed();
        Hole hole = _list!.Register(at, bytes);
        _position = at + bytes;
        return hole;
    }

    /// <inheritdoc cref="Appender.Commit"/>
    public void Commit()
    {
        byte* position = _position, end = _end;
        long ticket = Close();
        SegmentList.Publish(_list, position, end, ticket);
    }

    /// <inheritdoc/>
    public void Cancel()
    {
        long ticket = Close();
        if (ticket != 0) _list!.Drop(ticket);
    }

    /// <inheritdoc cref="Appender.Dispose"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        if (_ticket == 0) return;
        long ticket = _ticket;
        _end = null;
        _ticket = 0;
        _list!.Drop(ticket);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Claim(long bytes)
    {
        byte* at = _position;
        if (at + bytes > _end || bytes < 0)
        {
            long room = _end - at;
            _end = null;
            SegmentList.FailOverrun(_list, _ticket, room, bytes);
        }
        return at;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void MoveTo(byte* end) => _position = end;

    [DoesNotReturn]
    void IAppender.FailOverrun(long bytes)
    {
        long room = RoomLeft, ticket = Close();
        SegmentList.FailOverrun(_list, ticket, room, bytes);
    }

    private void RefuseHole(int bytes)
    {
        Cancel();
        BufferErrors.NegativeLength(nameof(bytes), bytes);
    }

    private long Close()
    {
        long ticket = _ticket;
        _end = null;
        _ticket = 0;
        return ticket;
    }
}
