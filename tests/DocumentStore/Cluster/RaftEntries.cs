namespace DocumentStore.Cluster;

/// <summary>
/// Where the entries of Raft's log lie in its file, and of which term each is. Up to the head the collection has all on the disk, and of
/// the head itself only the term is known. Threads: one at a time.
/// </summary>
internal sealed class RaftEntries
{
    // Of the entries after the head.
    private readonly List<(long Position, long Term)> _entries = [];
    private long _last;

    /// <summary>0 where all entries are there.</summary>
    public (long Index, long Term) Head { get; private set; }

    /// <summary>The last one. It may be read at any time.</summary>
    public long Last => Volatile.Read(ref _last);

    /// <summary>How often some were replaced.</summary>
    public long Cuts { get; private set; }

    /// <summary>The term of an entry; -1 before the head and after the last one.</summary>
    public long TermOf(long index) =>
        index == Head.Index ? Head.Term : index > Head.Index && index <= _last ? At(index).Term : -1;

    public long PositionOf(long index) => At(index).Position;

    /// <summary>Takes in what the file has next. After a cut it begins in the middle, maybe with one that was replaced later.</summary>
    public void Load(RaftFrame frame, long position)
    {
        bool begins = frame.Kind == RaftFrame.Kinds.Head || frame.Index > _last + 1 || frame.Index <= Head.Index;
        if (begins) Begin(frame.Index, frame.Term);
        else Set(frame.Index, frame.Term, position);
    }

    /// <summary>Puts an entry in the place of all from its index on.</summary>
    public void Set(long index, long term, long position)
    {
        if (index <= _last)
        {
            _entries.RemoveRange((int)(index - Head.Index) - 1, (int)(_last - index) + 1);
            Cuts++;
        }
        _entries.Add((position, term));
        Volatile.Write(ref _last, index);
    }

    /// <summary>Makes an entry the head, and drops all others.</summary>
    public void Begin(long index, long term)
    {
        _entries.Clear();
        Head = (index, term);
        Cuts++;
        Volatile.Write(ref _last, index);
    }

    /// <summary>Makes an entry the head, and drops all before it.</summary>
    public void CutTo(long index)
    {
        (long index, long term) head = (index, At(index).Term);
        _entries.RemoveRange(0, (int)(index - Head.Index));
        Head = head;
    }

    private (long Position, long Term) At(long index) => _entries[(int)(index - Head.Index) - 1];
}
