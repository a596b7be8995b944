namespace DocumentStore.Cluster;

/// <summary>
/// Raft's entries, term and vote in a LogFile. A leader sends its entries while its own disk is at work, and nothing is agreed on that is
/// not on the disk: <see cref="CommitAsync"/> waits. Threads: any.
/// </summary>
internal sealed class RaftFile : IDisposable
{
    private readonly Lock _lock = new();
    private readonly LogFile _file;

    // Of the entry of index 1 and so on.
    private readonly List<(long Position, long Term)> _entries = [];
    private long _last, _synced, _cuts;

    // The term in which this node was elected: only that one's entries may it add on its own. And the last entry that is as the leader
    // of this term has it: what stands after it may be of a leader of before.
    private long _led = -1, _same;

    public RaftFile(string folder, bool isAlone)
    {
        _file = LogFile.OpenOrCreate(folder);
        foreach (LogEntry entry in _file.ReadFrom())
        {
            RaftFrame frame = RaftFrame.Decode(entry.Payload);
            if (frame.Kind == RaftFrame.Kinds.Vote) (Term, Vote) = (frame.Term, frame.Content.ToArray());
            else Set(frame.Index, frame.Term, entry.Position);
        }
        // What a process that was killed had not synced is read, and may not be on the disk.
        Append(RaftFrame.Kinds.Vote, 0, Term, Vote);
        _file.Sync();
        _synced = _entries.Count;
        if (isAlone) _led = Term;
    }

    public long Term { get; private set; }

    /// <summary>The member that has the vote in the term; empty for none.</summary>
    public byte[] Vote { get; private set; } = [];

    /// <summary>The last entry, which may not be on the disk yet.</summary>
    public long Last => Volatile.Read(ref _last);

    public RaftProgress Progress { get; } = new();

    /// <summary>The term of an entry; 0 before the first one, -1 after the last one.</summary>
    public long TermOf(long index)
    {
        lock (_lock) return index == 0 ? 0 : index <= _entries.Count ? _entries[(int)index - 1].Term : -1;
    }

    public byte[] ContentOf(long index)
    {
        lock (_lock) return RaftFrame.Decode(_file.Read(_entries[(int)index - 1].Position)).Content.ToArray();
    }

    /// <summary>Keeps a term and the vote in it.</summary>
    public async Task ElectAsync(long term, byte[] vote)
    {
        lock (_lock)
        {
            Append(RaftFrame.Kinds.Vote, 0, term, vote);
            if (term != Term) _same = 0;
            (Term, Vote) = (term, vote);
        }
        await SyncAsync().ConfigureAwait(false);
    }

    /// <summary>Adds an entry of this node's own term as leader. Its disk gets to work. A won election names its term.</summary>
    /// <exception cref="InvalidOperationException">This node does not lead.</exception>
    public (long Index, long Term) Propose(ReadOnlySpan<byte> content, long? won = null)
    {
        long index, term;
        lock (_lock)
        {
            // Two entries of one index and term would never be told from each other, so nobody adds one of a term that another leads.
            if (won is { } now) _led = now;
            if (_led != Term) throw new InvalidOperationException("The term has changed.");
            (index, term) = (_entries.Count + 1, Term);
            Set(index, term, Append(RaftFrame.Kinds.Entry, index, term, content));
        }
        // Whoever commits waits for it, and is told where it fails.
        _ = SyncAsync().AsTask();
        return (index, term);
    }

    /// <summary>Takes an entry of a leader, in the place of others from its index on. It is not on the disk yet.</summary>
    public void Take(long index, long term, ReadOnlySpan<byte> content)
    {
        lock (_lock)
        {
            if (index <= Progress.Committed || TermOf(index) == term) return;
            if (index > _entries.Count + 1) throw new ArgumentOutOfRangeException(nameof(index), $"The entry before {index} is missing.");
            Set(index, term, Append(RaftFrame.Kinds.Entry, index, term, content));
        }
    }

    /// <summary>Returns when all entries are on the disk.</summary>
    /// <param name="same">The last one that is as the leader has it.</param>
    public async ValueTask SyncAsync(long same = 0)
    {
        long last, cuts;
        lock (_lock) (last, cuts) = (_entries.Count, _cuts);
        try
        {
            await _file.SyncAsync().ConfigureAwait(false);
        }
        catch (IOException e)
        {
            Progress.Fail(e);
            throw;
        }
        lock (_lock)
        {
            // What was replaced meanwhile is on the disk with the next sync.
            if (_cuts == cuts) _synced = Math.Max(_synced, last);
            _same = Math.Max(_same, same);
        }
    }

    /// <returns>How many entries have come to those that a majority has.</returns>
    public async ValueTask<long> CommitAsync(long index)
    {
        if (index > Volatile.Read(ref _synced)) await SyncAsync().ConfigureAwait(false);
        lock (_lock)
        {
            long before = Progress.Committed;
            Progress.Committed = Math.Min(index, _led == Term ? _synced : Math.Min(_synced, _same));
            return Progress.Committed - before;
        }
    }

    public void Dispose() => _file.Dispose();

    private long Append(RaftFrame.Kinds kind, long index, long term, ReadOnlySpan<byte> content) =>
        _file.Append(new RaftFrame { Kind = kind, Index = index, Term = term, Content = content });

    private void Set(long index, long term, long position)
    {
        if (index <= _entries.Count)
        {
            _entries.RemoveRange((int)index - 1, _entries.Count - (int)index + 1);
            _synced = Math.Min(_synced, index - 1);
            _cuts++;
        }
        _entries.Add((position, term));
        Volatile.Write(ref _last, index);
    }
}
