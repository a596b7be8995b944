namespace MemPrims.Channels.Link;

// The messages of several packets of which some have come: one sender's come in order, those of several may mix. The receiver's own.
internal sealed class Fragments
{
    private const int Most = 64;

    // The first message gets this much at once, the k-th beside it a k-th: a peer that begins 64 costs 38 MiB until it sends more.
    private const int FirstRoom = 8 << 20;

    private readonly Dictionary<ulong, Incoming> _all = [];

    // The message whose next part is expected: the one that came last.
    public Incoming? Expected { get; private set; }

    public bool IsEmpty => _all.Count == 0;

    // When the time of the oldest one is over.
    public Deadline Earliest
    {
        get
        {
            Deadline earliest = Deadline.Never;
            foreach (Incoming one in _all.Values) earliest = Deadline.Earlier(earliest, one.Deadline);
            return earliest;
        }
    }

    // The message that a part belongs to, a new one where it is a first part. The descriptors are the message's from here on.
    public Incoming Of(ref Packet packet, TimeSpan timeout)
    {
        PacketHeader header = packet.Header;
        int length = packet.Length;
        _all.TryGetValue(header.Id, out Incoming? message);
        if (header.Offset == 0)
        {
            if (message is not null || length == 0 || length >= header.Total) throw header.Lie(length);
            if (_all.Count == Most)
                throw new IpcProtocolException(IpcFault.TooManyMessages, $"More than {Most} large messages are under way at once");
            int room = Math.Max(Packets.Largest, FirstRoom / (_all.Count + 1));
            message = new()
            {
                Id = header.Id, Total = (int)header.Total, Array = ArrayPool<byte>.Shared.Rent((int)Math.Min(header.Total, room)),
                Handles = packet.Handles, Deadline = Deadline.After(timeout),
            };
            packet.Handles = null;
            _all.Add(header.Id, message);
        }
        else if (message is null || header.Handles != 0 || length == 0 || header.Total != message.Total
            || header.Offset != message.Filled || length > message.Total - message.Filled) throw header.Lie(length);
        return message;
    }

    // Counts a part that was copied to its place. Whether the message is whole: then it is the caller's.
    public bool Add(Incoming message, int length)
    {
        message.Filled += length;
        bool isWhole = message.Filled == message.Total;
        if (isWhole) _all.Remove(message.Id);
        Expected = isWhole ? null : message;
        return isWhole;
    }

    public void Drop()
    {
        foreach (Incoming one in _all.Values) one.End().Drop();
        _all.Clear();
        Expected = null;
    }
}
