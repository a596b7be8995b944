using DocumentStore.Cluster;
using DotNext.IO.Log;
using DotNext.Net.Cluster.Consensus.Raft;
using MemPrims;

namespace DocumentStore.Tests;

public class RaftLogTests
{
    /// <summary>Who asks for what was cut is offered a snapshot. A follower that says no has it already, and is not asked again for ever;
    /// one of a later term is told as it is.</summary>
    [Fact]
    public async Task An_offer_that_a_follower_does_not_need_is_no_gap()
    {
        using TempFolder folder = new();
        using RaftFile file = new(Path.Combine(folder.Path, "raft"), isAlone: false);
        await file.ElectAsync(2, []);
        for (int index = 1; index <= 9; index++) file.Take(index, 2, "a"u8);
        file.Progress.Committed = file.Progress.Applied = 8;
        file.CutTo(5);
        await using SnapshotTaker taker = new(new() { Folder = folder.Path, Id = 1, Members = [] }, file);
        Snapshot snapshot = new(1, file.Head, 77, [0, 4096], 5000);
        await using RaftLog log = new(file, Path.Combine(folder.Path, "unused"), taker, () => snapshot);
        Assert.Equal((HeartbeatResult.Replicated, 8), await AnswerAsync(5, term: 2));
        Assert.Equal((HeartbeatResult.Rejected, 8), await AnswerAsync(5, term: 3));
        Assert.Equal((HeartbeatResult.Rejected, null), await AnswerAsync(6, term: 2));
        Snapshot read = Snapshot.Decode(snapshot.Encode());
        Assert.Equal((1, (5, 2), 77, 5000), (read.Member, read.Head, read.Id, read.End));
        Assert.Equal(snapshot.Files, read.Files);

        async Task<(HeartbeatResult, long?)> AnswerAsync(long start, long term)
        {
            Follower follower = new(term);
            Result<ReplicationStatus> answer = await ((IAuditTrail<IRaftLogEntry>)log).ReadAsync(follower, start, 9, default);
            return (answer.Value.Result, follower.Offered);
        }
    }

    /// <summary>Of an entry whose connection ended in the middle DotNext gives what has come: it is refused, and comes again.</summary>
    [Fact]
    public async Task An_entry_that_has_come_in_part_is_refused()
    {
        using TempFolder folder = new();
        using RaftFile file = new(Path.Combine(folder.Path, "raft"), isAlone: false);
        await file.ElectAsync(2, []);
        await using SnapshotTaker taker = new(new() { Folder = folder.Path, Id = 1, Members = [] }, file);
        await using RaftLog log = new(file, Path.Combine(folder.Path, "unused"), taker, () => throw new InvalidOperationException());
        byte[] whole = RaftSeal.Of("one and another"u8, 1, 2);
        for (int length = 0; length < whole.Length; length++)
            await Assert.ThrowsAsync<DamagedDataException>(() => AppendAsync(whole[..length], 1));
        await Assert.ThrowsAsync<DamagedDataException>(() => AppendAsync(RaftSeal.Of("one and another"u8, 2, 2), 1));
        Assert.Equal(0, file.Last);
        await AppendAsync(whole, 1);
        await AppendAsync(RaftSeal.Of([], 2, 2), 2);
        Assert.Equal((2, "one and another"), (file.Last, System.Text.Encoding.UTF8.GetString(file.ContentOf(1))));
        Assert.Empty(file.ContentOf(2));

        async Task AppendAsync(byte[] content, long index)
        {
            BinaryLogEntry[] entries = [new() { Term = 2, Content = content }];
            await ((IAuditTrail<IRaftLogEntry>)log).AppendAsync(new LogEntryProducer<BinaryLogEntry>(entries), index, false, default);
        }
    }

    /// <summary>It refuses all.</summary>
    private sealed class Follower(long term) : ILogEntryConsumer<IRaftLogEntry, Result<ReplicationStatus>>
    {
        public long? Offered { get; private set; }

        public ValueTask<Result<ReplicationStatus>> ReadAsync<TEntry, TList>(TList entries, long? snapshotIndex, CancellationToken token)
            where TEntry : notnull, IRaftLogEntry where TList : notnull, IReadOnlyList<TEntry>
        {
            Offered = snapshotIndex;
            Assert.Equal(snapshotIndex is not null, entries[0].IsSnapshot);
            return new(new Result<ReplicationStatus> { Term = term, Value = new() { Result = HeartbeatResult.Rejected, LastIndex = 9 } });
        }
    }
}
