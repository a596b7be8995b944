namespace DocumentStore.Cluster;

/// <summary>The entries, as they are read.</summary>
internal sealed partial class RaftFile
{
    /// <inheritdoc cref="RaftEntries.TermOf"/>
    public long TermOf(long index)
    {
        lock (_lock) return _entries.TermOf(index);
    }

    public byte[] ContentOf(long index)
    {
        lock (_lock) return FrameOf(index).Content.ToArray();
    }

    /// <summary>An entry as a follower gets it, and its term.</summary>
    public (long Term, byte[] Content) SealedOf(long index)
    {
        lock (_lock)
        {
            RaftFrame frame = FrameOf(index);
            return (frame.Term, RaftSeal.Of(frame.Content, index, frame.Term));
        }
    }

    private RaftFrame FrameOf(long index) => RaftFrame.Decode(_file.Read(_entries.PositionOf(index)));
}
