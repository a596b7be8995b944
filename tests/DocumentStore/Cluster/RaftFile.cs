namespace DocumentStore.Cluster;

/// <summary>
/// Raft's entries, term and vote in a LogFile. An entry counts, as <see cref="Last"/>, when it is on the disk. Threads: any.
/// </summary>
internal sealed class RaftFile : IDisposable
{
    private readonly Lock _lock = new();
    private readonly LogFile _file;

    // Of the entry of index 1 and so on.
    private readonly List<(long Position, long Term)> _entries = [];
    private readonly TaskCompletionSource _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _cuts;

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
        Last = _entries.Count;
        if (isAlone) _led = Term;
    }

    /// <summary>Fails with the disk.</summary>
    public Task Failed => _failed.Task;

    public long Term { get; private set; }

    /// <summary>The member that has the vote in the term; empty for none.</summary>
    public byte[] Vote { get; private set; } = [];

    /// <summary>The last entry on the disk.</summary>
    public long Last { get; private set; }

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

    /// <summary>Adds an entry of this node's own term as leader. It is on the disk when the task ends.</summary>
    /// <param name="content">A proposal.</param>
    /// <param name="won">The term of an election that this node has just won.</param>
    /// <exception cref="InvalidOperationException">This node does not lead.</exception>
    public async ValueTask<(long Index, long Term)> ProposeAsync(ReadOnlyMemory<byte> content, long? won = null)
    {
        long index, term;
        lock (_lock)
        {
            // Two entries of one index and term would never be told from each other, so nobody adds one of a term that another leads.
            if (won is { } now) _led = now;
            if (_led != Term) throw new InvalidOperationException("The term has changed.");
            (index, term) = (_entries.Count + 1, Term);
            Set(index, term, Append(RaftFrame.Kinds.Entry, index, term, content.Span));
        }
        await SyncAsync().ConfigureAwait(false);
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
            _failed.TrySetException(e);
            throw;
        }
        lock (_lock)
        {
            // What was replaced meanwhile is on the disk with the next sync.
            if (_cuts == cuts) Last = Math.Max(Last, last);
            _same = Math.Max(_same, same);
        }
    }

    /// <returns>How many entries have come to those that a majority has.</returns>
    public long Commit(long index)
    {
        lock (_lock)
        {
            long before = Progress.Committed;
            Progress.Committed = Math.Min(index, _led == Term ? Last : Math.Min(Last, _same));
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
            Last = Math.Min(Last, index - 1);
            _cuts++;
        }
        _entries.Add((position, term));
    }
}
