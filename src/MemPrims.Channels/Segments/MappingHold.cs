using MemPrims.Channels.Native;

namespace MemPrims.Channels.Segments;

/// <summary>
/// Keeps an end's memory mapped while somebody may touch a piece of it: the piece's user, and whoever has pinned it. The piece's
/// finalizer calls <see cref="LetGoAll"/>: without that, a piece that was dropped would keep the socket and both mappings for the life of
/// the process.
/// </summary>
internal struct MappingHold
{
    private ChannelSocket? _socket;
    private int _holders;

    /// <summary>The user's own hold.</summary>
    public void Begin(ChannelSocket socket)
    {
        bool held = false;
        socket.DangerousAddRef(ref held);
        _socket = socket;
        _holders = 1;
    }

    /// <summary>Adds a hold for a pin; false when the memory may be unmapped already.</summary>
    public bool TryAdd()
    {
        for (int seen = Volatile.Read(ref _holders); seen > 0;)
        {
            int found = Interlocked.CompareExchange(ref _holders, seen + 1, seen);
            if (found == seen) return true;
            seen = found;
        }
        return false;
    }

    /// <summary>Ends one hold. True when it was the last: then the piece needs no finalizer any more.</summary>
    public bool LetGo()
    {
        if (Interlocked.Decrement(ref _holders) != 0) return false;
        _socket!.DangerousRelease();
        return true;
    }

    public void LetGoAll()
    {
        if (Interlocked.Exchange(ref _holders, 0) > 0) _socket!.DangerousRelease();
    }
}
