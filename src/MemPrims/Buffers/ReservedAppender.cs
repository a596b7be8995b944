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
    public readonly long RoomLeft => _end - _position;

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
}
