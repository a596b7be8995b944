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
/// <param name="file">The log.</param>
/// <param name="unused">A folder for that.</param>
/// <param name="taker">Takes snapshots that a leader offers.</param>
/// <param name="snapshot">What this node offers as a leader.</param>
internal sealed class RaftLog(RaftFile file, string unused, SnapshotTaker taker, Func<Snapshot> snapshot) : WriteAheadLog(
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

    // That is how a snapshot is offered. Until it is taken, the leader finds that the entries after it do not fit, and offers another one.
    async ValueTask IAuditTrail<IRaftLogEntry>.AppendAsync<TEntry>(TEntry entry, long index, CancellationToken token)
    {
        byte[] came = await entry.ToByteArrayAsync(token: token).ConfigureAwait(false);
        Snapshot offer = Snapshot.Decode(RaftSeal.Open(came, 0, entry.Term));
        if (file.Progress.Committed < offer.Head.Index && file.TermOf(offer.Head.Index) != offer.Head.Term) taker.Begin(offer);
    }

    async ValueTask IAuditTrail<IRaftLogEntry>.AppendAsync<TEntry>(
        ILogEntryProducer<TEntry> entries, long index, bool skipCommitted, CancellationToken token)
    {
        for (; await entries.MoveNextAsync().ConfigureAwait(false); index++)
        {
            if (entries.Current.IsConfiguration) throw new NotSupportedException("The members stay as they are.");
            byte[] came = await entries.Current.ToByteArrayAsync(token: token).ConfigureAwait(false);
            file.Take(index, entries.Current.Term, RaftSeal.Open(came, index, entries.Current.Term));
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
        if (!reader.LogEntryMetadataOnly && start <= file.Head.Index) return OfferAsync(reader, token);
        List<BinaryLogEntry> entries = [];
        if (end > file.Last) throw new ArgumentOutOfRangeException(nameof(end), $"The log ends at {file.Last}, and not at {end}.");
        long bytes = 0;
        for (long index = start; index <= end && bytes < MostBytes; index++)
        {
            (long term, byte[] content) = reader.LogEntryMetadataOnly ? (file.TermOf(index), []) : file.SealedOf(index);
            entries.Add(new() { Term = term, Content = content });
            bytes += content.Length;
        }
        return reader.ReadAsync<BinaryLogEntry, List<BinaryLogEntry>>(entries, null, token);
    }

    private async ValueTask<TResult> OfferAsync<TResult>(
        ILogEntryConsumer<IRaftLogEntry, TResult> reader, CancellationToken token)
    {
        long index = file.Progress.Applied;
        Offer[] offer = [new(RaftSeal.Of(snapshot().Encode(), 0, 0))];
        TResult answer = await reader.ReadAsync<Offer, Offer[]>(offer, index, token).ConfigureAwait(false);
        // A follower that is further says no. DotNext takes that for a gap, and would offer it for ever.
        return answer is Result<ReplicationStatus> { Value.Result: HeartbeatResult.Rejected } refusal && refusal.Term <= file.Term
            ? (TResult)(object)(refusal with { Value = new() { Result = HeartbeatResult.Replicated, LastIndex = index } }) : answer;
    }

    private static byte[] BytesOf(in ClusterMemberId id)
    {
        byte[] bytes = new byte[ClusterMemberId.Size];
        id.Format(bytes);
        return bytes;
    }

    /// <summary>It has no leader's term, so a follower that takes it is not counted among those who have the entries.</summary>
    private sealed class Offer(byte[] content) : IRaftLogEntry
    {
        public long Term => 0;

        public bool IsSnapshot => true;

        public bool IsReusable => true;

        public long? Length => content.Length;

        public ValueTask WriteToAsync<TWriter>(TWriter writer, CancellationToken token) where TWriter : IAsyncBinaryWriter =>
            writer.WriteAsync(content, null, token);
    }

    private sealed class Nothing : IStateMachine
    {
        public ISnapshot? Snapshot => null;

        public ValueTask<long> ApplyAsync(Entry entry, CancellationToken token) => new(entry.Index);

        public ValueTask ReclaimGarbageAsync(long watermark, CancellationToken token) => default;
    }
}
