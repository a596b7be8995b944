using DotNext.IO;
using DotNext.IO.Log;
using DotNext.Net.Cluster;
using DotNext.Net.Cluster.Consensus.Raft;
using DotNext.Net.Cluster.Consensus.Raft.StateMachine;
using Entry = DotNext.Net.Cluster.Consensus.Raft.StateMachine.LogEntry;

namespace DocumentStore.Cluster;

/// <summary>
/// Shows a <see cref="RaftFile"/> to DotNext. Its IPersistentState has a setter that only its own assembly can implement, so this
/// takes that one from DotNext's WriteAheadLog, of which nothing else is used: it keeps an empty file. Threads: any.
/// </summary>
internal sealed class RaftLog(RaftFile file, string unused) : WriteAheadLog(
    new() { Location = unused }, new Nothing()), IPersistentState
{
    // A message to a follower that is far behind must arrive within the timeout of a request.
    private const long MostBytes = 1 << 20;

    long IPersistentState.Term => file.Term;

    long IAuditTrail.LastCommittedEntryIndex => file.Progress.Committed;

    long IAuditTrail.LastEntryIndex => file.Last;

    Task IAuditTrail.InitializeAsync(CancellationToken token) => Task.CompletedTask;

    bool IPersistentState.IsVotedFor(in ClusterMemberId id) => file.Vote.Length == 0 || file.Vote.AsSpan().SequenceEqual(BytesOf(id));

    async ValueTask<long> IPersistentState.IncrementTermAsync(ClusterMemberId member, CancellationToken token)
    {
        await file.ElectAsync(file.Term + 1, BytesOf(member)).ConfigureAwait(false);
        return file.Term;
    }

    ValueTask IPersistentState.UpdateTermAsync(long term, bool resetLastVote, CancellationToken token) =>
        new(file.ElectAsync(term, resetLastVote ? [] : file.Vote));

    ValueTask IPersistentState.UpdateVotedForAsync(ClusterMemberId member, CancellationToken token) =>
        new(file.ElectAsync(file.Term, BytesOf(member)));

    // DotNext adds an entry without an index for one reason as long as the members stay: this node has won an election.
    async ValueTask<long> IAuditTrail<IRaftLogEntry>.AppendAsync<TEntry>(TEntry entry, CancellationToken token)
    {
        byte[] content = await entry.ToByteArrayAsync(token: token).ConfigureAwait(false);
        return file.Propose(content, entry.Term).Index;
    }

    // That is how a snapshot comes.
    ValueTask IAuditTrail<IRaftLogEntry>.AppendAsync<TEntry>(TEntry entry, long index, CancellationToken token) =>
        throw new NotSupportedException("The log is whole, and no leader sends a snapshot.");

    async ValueTask IAuditTrail<IRaftLogEntry>.AppendAsync<TEntry>(
        ILogEntryProducer<TEntry> entries, long index, bool skipCommitted, CancellationToken token)
    {
        for (; await entries.MoveNextAsync().ConfigureAwait(false); index++)
        {
            if (entries.Current.IsConfiguration) throw new NotSupportedException("The members stay as they are.");
            file.Take(index, entries.Current.Term, await entries.Current.ToByteArrayAsync(token: token).ConfigureAwait(false));
        }
        await file.SyncAsync(index - 1).ConfigureAwait(false);
    }

    ValueTask<long> IAuditTrail.CommitAsync(long index, CancellationToken token) => file.CommitAsync(index);

    ValueTask IAuditTrail.WaitForApplyAsync(CancellationToken token) => new(file.Progress.Next.WaitAsync(token));

    ValueTask IAuditTrail.WaitForApplyAsync(long index, CancellationToken token) =>
        file.Progress.UntilAsync(() => file.Progress.Applied >= index, token);

    ValueTask<TResult> IAuditTrail<IRaftLogEntry>.ReadAsync<TResult>(
        ILogEntryConsumer<IRaftLogEntry, TResult> reader, long start, long end, CancellationToken token)
    {
        List<BinaryLogEntry> entries = [];
        if (end > file.Last) throw new ArgumentOutOfRangeException(nameof(end), $"The log ends at {file.Last}, and not at {end}.");
        long bytes = 0;
        for (long index = start; index <= end && bytes < MostBytes; index++)
        {
            byte[] content = reader.LogEntryMetadataOnly ? [] : file.ContentOf(index);
            entries.Add(new() { Term = file.TermOf(index), Content = content });
            bytes += content.Length;
        }
        return reader.ReadAsync<BinaryLogEntry, List<BinaryLogEntry>>(entries, null, token);
    }

    private static byte[] BytesOf(in ClusterMemberId id)
    {
        byte[] bytes = new byte[ClusterMemberId.Size];
        id.Format(bytes);
        return bytes;
    }

    private sealed class Nothing : IStateMachine
    {
        public ISnapshot? Snapshot => null;

        public ValueTask<long> ApplyAsync(Entry entry, CancellationToken token) => new(entry.Index);

        public ValueTask ReclaimGarbageAsync(long watermark, CancellationToken token) => default;
    }
}
