using System.IO.Pipelines;
using MemPrims.Channels.Native;
using MemPrims.Channels.Segments;

namespace MemPrims.Channels;

// Sending without a copy, and the channel as a stream of bytes.
public sealed unsafe partial class IpcChannel
{
    /// <summary>
    /// Hands a segment of <see cref="SegmentPool"/> to the peer as a message. It is the peer's until its credit comes back: rent another
    /// one for the next message. If this throws because nothing was sent, it stays the caller's to send again or to dispose.
    /// </summary>
    /// <remarks>
    /// A peer whose end has several holders gets the segment's bytes in packets. The segment is free again at once then.
    /// </remarks>
    public void Send(SharedSegment segment, int offset, int length) =>
        Send(segment, offset, length, new Patience(Deadline.After(_options.Timeout)));

    /// <summary>Hands a segment's first bytes to the peer as a message.</summary>
    /// <inheritdoc cref="Send(SharedSegment, int, int)"/>
    public void Send(SharedSegment segment, int length) => Send(segment, 0, length);

    /// <summary>
    /// Hands a segment to the peer if that needs no waiting. False when the peer does not keep up or another thread is sending: then the
    /// segment stays the caller's.
    /// </summary>
    public bool TrySend(SharedSegment segment, int offset, int length) => Send(segment, offset, length, Patience.NoneAtAll);

    private bool Send(SharedSegment segment, int offset, int length, in Patience patience)
    {
        ArgumentNullException.ThrowIfNull(segment);
        if (_segments is null)
            throw new InvalidOperationException("This channel has no segments: set SegmentCount, and use shared memory on both ends.");
        ThrowIfTooLong(length);
        SegmentToken token = _segments.BeginSend(segment, offset, length);
        bool sent = false, byRing = false;
        try
        {
            PacketHeader entry = new(PacketKind.Segment, token.Length) { Id = token.Id, Offset = token.Offset };
            Posix.Piece* pieces = stackalloc Posix.Piece[2];
            // For a peer that cannot be told of the segment, the bytes themselves.
            pieces[1] = new() { Start = _segments.Start(segment) + offset, Length = length };
            return sent = SendLocked(entry, pieces, 1, length, default, patience, out byRing);
        }
        finally
        {
            if (sent && byRing) segment.LetGo();
            else _segments.NotSent(segment);
            if (sent && !byRing) segment.Dispose();
        }
    }

    /// <summary>
    /// The channel as a stream: what is written at once is one message, and reading joins the messages. Empty messages are skipped,
    /// descriptors closed.
    /// </summary>
    /// <remarks>
    /// Disposing the stream leaves the channel open, and drops what was not read of a message that was begun. A reader meets the end when
    /// the other side's channel is disposed, and not before: no message says that a row of bytes is over. Where you go on with messages
    /// after it, tell the reader the length first.
    /// </remarks>
    public Stream AsStream() => new ChannelStream(this);

    /// <summary>Reads the messages as one row of bytes.</summary>
    /// <remarks>
    /// Completing it leaves the channel open, and drops what it has read and you have not consumed: that is up to the whole of the message
    /// received last. So don't go on with Receive unless all was consumed. It ends as <see cref="AsStream"/> does.
    /// </remarks>
    public PipeReader AsPipeReader() => PipeReader.Create(new ChannelStream(this), new StreamPipeReaderOptions(leaveOpen: true));

    /// <summary>
    /// Sends what is flushed, in one or several messages. Completing it leaves the channel open, and the reader waiting: see
    /// <see cref="AsStream"/>.
    /// </summary>
    public PipeWriter AsPipeWriter() => PipeWriter.Create(new ChannelStream(this), new StreamPipeWriterOptions(leaveOpen: true));

    // For tests that write to it what a hostile peer would.
    internal Shared.ShareHeader* SharedForTests => _socket.Mine!.Header;

    internal IpcProtocolException Forged(int segment, uint credit, uint generation)
    {
        IpcProtocolException forged =
            new(IpcFault.ForgedCredit, $"The peer gave back use {credit} of segment {segment}, which is at use {generation}");
        Break(forged);
        return forged;
    }
}
