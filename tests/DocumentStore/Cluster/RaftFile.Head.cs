namespace DocumentStore.Cluster;

/// <summary>The head of the log: entries that the collection has on the disk are dropped.</summary>
internal sealed partial class RaftFile
{
    // So long after it, somebody who takes a snapshot will need the entries that follow it.
    private const long Holds = 30_000;

    private long _asked = -Holds;
    private bool _isKept;

    /// <summary>Where the log begins: its entry and all before it are in the collection. 0 where all are in the log.</summary>
    public (long Index, long Term) Head
    {
        get
        {
            lock (_lock) return _entries.Head;
        }
    }

    /// <summary>Whether somebody is taking a snapshot.</summary>
    public bool IsHeld => Environment.TickCount64 - Volatile.Read(ref _asked) < Holds;

    public void Hold() => Volatile.Write(ref _asked, Environment.TickCount64);

    /// <summary>Makes the log go on from where the collection is: after a snapshot the log ends before it, or has another past.</summary>
    /// <exception cref="IOException">The collection is behind the log's head, or the log is lost.</exception>
    public void GoOnFrom(long applied, long term)
    {
        lock (_lock)
        {
            // Such a log was lost: after a snapshot it has a term at least, and that of a member that is alone has entries.
            if (applied > 0 && Term == 0 && Last == 0)
                throw new IOException($"The collection ends with entry {applied}, and Raft's log is empty: the folder is not as this "
                    + "node left it. See \"lost its folder\" in the README.");
            if (applied < _entries.Head.Index)
                throw new IOException($"The collection ends with entry {applied}, and Raft's log begins after {_entries.Head.Index}: "
                    + "the folder is not as this node left it. See \"lost its folder\" in the README.");
            if (_entries.TermOf(applied) == term) return;
            Append(RaftFrame.Kinds.Head, applied, term, []);
            _file.Sync();
            _entries.Begin(applied, term);
            _synced = applied;
        }
    }

    /// <summary>Keeps all from now on, for a snapshot that is about to take the collection's place.</summary>
    /// <param name="head">The snapshot has at least this entry.</param>
    /// <returns>Whether the collection is behind it. If it is not, somebody else has brought it on meanwhile.</returns>
    public bool TryKeep(long head)
    {
        lock (_lock) return _isKept = Progress.Applied < head;
    }

    /// <summary>Drops all up to an entry that the collection has on the disk. A crash at any moment leaves more of it.</summary>
    public void CutTo(long index)
    {
        long position;
        lock (_lock)
        {
            if (_isKept) return;
            position = _entries.PositionOf(index);
            // The last ones must not go with the head.
            AppendVote(Term, Vote);
            _file.Sync();
            _entries.CutTo(index);
        }
        _file.CutBefore(position);
    }
}
