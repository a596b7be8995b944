namespace DocumentStore.Cluster;

/// <summary>
/// Raft's entries, term and vote in a LogFile. A leader sends its entries while its own disk is at work, and nothing is agreed on that is
/// not on the disk: <see cref="CommitAsync"/> waits. Threads: any.
/// </summary>
internal sealed partial class RaftFile : IDisposable
{
    private readonly Lock _lock = new();
    private readonly LogFile _file;
    private readonly RaftEntries _entries = new();
    private long _synced;

    // The term in which this node was elected: only that one's entries may it add on its own. And the last entry that is as the leader
    // of this term has it: what stands after it may be of a leader of before.
    private long _led = -1, _same;

    public RaftFile(string folder, bool isAlone, long fileBytes = 16 << 20)
    {
        _file = LogFile.OpenOrCreate(folder, new() { FileBytes = fileBytes });
        foreach (LogEntry entry in _file.ReadFrom())
        {
            RaftFrame frame = RaftFrame.Decode(entry.Payload);
            if (frame.Kind == RaftFrame.Kinds.Vote) (Term, Vote) = (frame.Term, frame.Content.ToArray());
            else _entries.Load(frame, entry.Position);
        }
        // What a process that was killed had not synced is read, and may not be on the disk.
        AppendVote(Term, Vote);
        _file.Sync();
        _synced = Last;
        if (isAlone) _led = Term;
    }

    public long Term { get; private set; }

    /// <summary>The member that has the vote in the term; empty for none.</summary>
    public byte[] Vote { get; private set; } = [];

    /// <summary>The last entry, which may not be on the disk yet.</summary>
    public long Last => _entries.Last;

    public RaftProgress Progress { get; } = new();

    /// <summary>Keeps a term and the vote in it.</summary>
    public async Task ElectAsync(long term, byte[] vote)
    {
        lock (_lock)
        {
            AppendVote(term, vote);
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
            (index, term) = (Last + 1, Term);
            Add(index, term, content);
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
            long own = _entries.TermOf(index);
            if (own == term) return;
            if (index <= Progress.Committed)
            {
                if (own < 0) return;
                IOException why = new($"The leader has another entry {index} than the one that was acknowledged here. A node was started "
                    + "with a folder that was not its last one: see \"lost its folder\" in the README.");
                Progress.Fail(why);
                throw why;
            }
            if (index > Last + 1) throw new ArgumentOutOfRangeException(nameof(index), $"The entry before {index} is missing.");
            Add(index, term, content);
        }
    }

    /// <summary>Returns when all entries are on the disk.</summary>
    /// <param name="same">The last one that is as the leader has it.</param>
    public async ValueTask SyncAsync(long same = 0)
    {
        long last, cuts, term;
        lock (_lock) (last, cuts, term) = (Last, _entries.Cuts, Term);
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
            if (_entries.Cuts == cuts) _synced = Math.Max(_synced, last);
            // The leader of another term may have other entries.
            if (term == Term) _same = Math.Max(_same, same);
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

    private void AppendVote(long term, byte[] vote) => Append(RaftFrame.Kinds.Vote, 0, term, vote);

    private void Add(long index, long term, ReadOnlySpan<byte> content)
    {
        _synced = Math.Min(_synced, index - 1);
        _entries.Set(index, term, Append(RaftFrame.Kinds.Entry, index, term, content));
    }

    private long Append(RaftFrame.Kinds kind, long index, long term, ReadOnlySpan<byte> content) =>
        _file.Append(new RaftFrame { Kind = kind, Index = index, Term = term, Content = content });
}
