using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

// How an appender that checks its writes ends, and what it needs to be open for. The build writes this file again for ReservedAppender
// (MemPrims.csproj). UnsafeAppender has members of its own for these: it is also open inside a value that encodes itself.
public unsafe ref partial struct Appender
{
    /// <inheritdoc/>
    public readonly long Position => SegmentList.PositionOf(_list, _position, _end, _ticket);

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

    /// <summary>Publishes what was written and closes the appender.</summary>
    /// <exception cref="InvalidOperationException">The appender is closed, or a hole is not filled. Nothing of it is
    /// published.</exception>
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

    /// <summary>Drops what was written, unless <see cref="Commit"/> published it, and closes the appender.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        if (_ticket == 0) return;
        long ticket = _ticket;
        _end = null;
        _ticket = 0;
        _list!.Drop(ticket);
    }

    [DoesNotReturn]
    void IAppender.FailOverrun(long bytes)
    {
        long room = _end - _position, ticket = Close();
        SegmentList.FailOverrun(_list, ticket, room, bytes);
    }

    private long Close()
    {
        long ticket = _ticket;
        _end = null;
        _ticket = 0;
        return ticket;
    }
}
