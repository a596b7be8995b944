using System.IO.Pipelines;
using MemPrims.Channels.Native;
using MemPrims.Channels.Segments;

namespace MemPrims.Channels;

/// <summary>Sending without a copy, and the channel as a stream of bytes.</summary>
public sealed unsafe partial class IpcChannel
{
    /// <summary>
    /// Hands a segment of <see cref="SegmentPool"/> to the peer as a message. It is the peer's until its credit comes back: rent another
    /// one for the next message. If this throws because nothing was sent, it stays the caller's to send again or to dispose.
    /// </summary>
    public void Send(SharedSegment segment, int offset, int length)
    {
        ArgumentNullException.ThrowIfNull(segment);
        if (_segments is null)
            throw new InvalidOperationException("This channel has no segments: set SegmentCount, and use shared memory on both ends.");
        ThrowIfTooLong(length);
        SegmentToken token = _segments.BeginSend(segment, offset, length);
        bool sent = false;
        try
        {
            Patience patience = new(Deadline.After(_options.Timeout));
            using Use use = new(this);
            EnterSending(patience);
            try
            {
                NoteSleeper();
                PacketHeader header = new(PacketKind.Segment, token.Length) { Id = token.Id, Offset = token.Offset };
                Posix.Piece* pieces = stackalloc Posix.Piece[1];
                sent = SendPacket(ref header, pieces, 0, default, patience);
                ChannelEvents.Sent(length);
            }
            finally
            {
                _sending.Release();
            }
        }
        finally
        {
            if (sent) segment.LetGo();
            else _segments.NotSent(segment);
        }
    }

    /// <summary>Hands a segment's first bytes to the peer as a message.</summary>
    public void Send(SharedSegment segment, int length) => Send(segment, 0, length);

    /// <summary>
    /// The channel as a stream: what is written at once is one message, and reading joins the messages. Empty messages are skipped,
    /// descriptors closed. Disposing the stream leaves the channel open.
    /// </summary>
    public Stream AsStream() => new ChannelStream(this);

    /// <summary>Reads the messages as one row of bytes. Completing it leaves the channel open.</summary>
    public PipeReader AsPipeReader() => PipeReader.Create(new ChannelStream(this), new StreamPipeReaderOptions(leaveOpen: true));

    /// <summary>Sends what is flushed, in one or several messages. Completing it leaves the channel open.</summary>
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
