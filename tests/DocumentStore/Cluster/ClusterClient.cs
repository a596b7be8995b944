using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using static DocumentStore.Cluster.Message;

namespace DocumentStore.Cluster;

/// <summary>
/// Asks a cluster. It finds the leader, follows it, and asks again where an answer is missing: a batch has this client's id and its
/// number, so it counts once. Threads: any; calls are answered one after the other, so who asks for a member that may be away has a
/// client for that.
/// </summary>
/// <param name="members">All members, in the order that the nodes have them.</param>
/// <param name="patience">How long a call tries, with its wait for those before; 30 seconds unless told.</param>
public sealed class ClusterClient(IPEndPoint[] members, TimeSpan? patience = null) : IDisposable
{
    private const string Before = "Calls of this client that came before took all the time.";
    private static readonly TimeSpan s_attempt = TimeSpan.FromSeconds(5), s_pause = TimeSpan.FromMilliseconds(20);
    private readonly TimeSpan _patience = patience ?? TimeSpan.FromSeconds(30);
    private readonly Connections _connections = new(members is { Length: > 0 } ? members
        : throw new ArgumentException("A cluster has a member at least.", nameof(members)));

    private readonly SemaphoreSlim _turn = new(1);
    private readonly Guid _id = Guid.NewGuid();
    private long _number;
    private int _leader, _told;

    /// <summary>Makes all changes of a batch, or none of them.</summary>
    /// <returns>A position: a replica that has come so far has the batch.</returns>
    /// <exception cref="TimeoutException">
    /// Nobody has acknowledged it: it may count, or not, now or later. Another call with the same batch is another batch.
    /// </exception>
    /// <exception cref="ArgumentException">No collection takes it.</exception>
    public Task<long> CommitAsync(Batch batch)
    {
        ArgumentNullException.ThrowIfNull(batch);
        return ProposeAsync(() => Proposal.Encode(_id, ++_number, batch));
    }

    /// <summary>Finds a document: of all that was acknowledged before, or as a replica has it.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="atLeast">A position that the replica must have.</param>
    /// <param name="member">Which replica, from 1 on.</param>
    /// <returns>Null where there is none.</returns>
    /// <exception cref="TimeoutException">Nobody has answered.</exception>
    public async Task<byte[]?> GetAsync(string key, long? atLeast = null, int? member = null)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (member is not null && atLeast is null) throw new ArgumentException("A replica answers by a position: give one.");
        (Answer kind, _, byte[] rest) = await AskAsync(() => Of(Request.Get, (ref to) =>
        {
            to.WriteVarint(Awaited(atLeast));
            to.WriteText(key);
        }), member).ConfigureAwait(false);
        return kind == Answer.None ? null : rest;
    }

    /// <summary>Counts values among the documents that have all of some other ones.</summary>
    /// <inheritdoc cref="GetAsync"/>
    public async Task<ClusterCounts> CountAsync(string[] facets, (string Facet, string Value)[] where, int top, long? atLeast = null) =>
        ClusterCounts.Read((await AskAsync(() => ClusterCounts.Ask(facets, where, top, atLeast)).ConfigureAwait(false)).More, facets);

    /// <summary>A page of documents in the order of an index.</summary>
    /// <inheritdoc cref="GetAsync"/>
    internal async Task<RangePage> RangeAsync(Query query, long? atLeast = null) =>
        RangePage.Read((await AskAsync(() => RangePage.Ask(query, atLeast)).ConfigureAwait(false)).More);

    /// <summary>What a member knows.</summary>
    /// <inheritdoc cref="GetAsync"/>
    public async Task<NodeState> StateAsync(int member) =>
        NodeState.Read(await AskAsync(static () => Of(Request.State), member).ConfigureAwait(false));

    public void Dispose() => _connections.Dispose();

    /// <summary>A piece of the log of a member's collection.</summary>
    /// <exception cref="ArgumentException">The member has another collection by now.</exception>
    /// <exception cref="DamagedDataException">It is not as it was sent.</exception>
    internal async Task<byte[]> PieceAsync(int member, long collection, long position, int bytes)
    {
        (_, long sum, byte[] piece) = await AskAsync(() => Of(Request.Piece, (ref to) =>
        {
            to.Write(collection);
            to.WriteVarint(position);
            to.WriteVarint(bytes);
        }), member).ConfigureAwait(false);
        if (piece.Length == 0 || Checksum.Crc32C(piece) != sum)
            throw new DamagedDataException($"The piece at {position} is not as it was sent.");
        return piece;
    }

    // It is encoded in its turn: nodes pass over a number that is less than the last one.
    internal async Task<long> ProposeAsync(Func<byte[]> proposal) =>
        (await AskAsync(() => [(byte)Request.Put, .. proposal()]).ConfigureAwait(false)).Position;

    private async Task<(Answer Kind, long Position, byte[] More)> AskAsync(Func<byte[]> request, int? member = null)
    {
        long start = Stopwatch.GetTimestamp();
        if (!await _turn.WaitAsync(_patience).ConfigureAwait(false)) throw new TimeoutException(Before);
        try
        {
            return await AskAsync(request(), member, start).ConfigureAwait(false);
        }
        finally
        {
            _turn.Release();
        }
    }

    private async Task<(Answer Kind, long Position, byte[] More)> AskAsync(byte[] request, int? member, long start)
    {
        if (member < 1 || member > members.Length)
            throw new ArgumentOutOfRangeException(nameof(member), $"There are {members.Length} members, and none is {member}.");
        string?[] missing = new string?[members.Length];
        for (; ; await Task.Delay(s_pause).ConfigureAwait(false))
        {
            TimeSpan left = _patience - Stopwatch.GetElapsedTime(start);
            if (left <= TimeSpan.Zero)
                throw new TimeoutException(string.Join("; ", missing.Where(static one => one is not null).DefaultIfEmpty(Before)));
            int at = member - 1 ?? _leader;
            try
            {
                byte[] answer = await _connections.AskAsync(at, request, left < s_attempt ? left : s_attempt).ConfigureAwait(false);
                (Answer kind, long number, byte[] rest) = Parse(answer);
                if (kind is not (Answer.NotLeader or Answer.Later)) return (kind, number, rest);
                // A number leads astray where the members stand in another order here than the nodes have them.
                bool isTold = number > 0 && number <= members.Length && number - 1 != at && ++_told % 4 > 0;
                if (kind == Answer.NotLeader) _leader = isTold ? (int)number - 1 : (at + 1) % members.Length;
                missing[at] = $"{members[at]} {(kind == Answer.Later ? new SpanReader(answer.AsSpan(1)).ReadText() : "does not lead")}";
            }
            catch (Exception e) when (e is IOException or SocketException or OperationCanceledException)
            {
                _connections.Drop(at);
                _leader = (at + 1) % members.Length;
                // Where time was up, what was missing before says more.
                if (e is not OperationCanceledException || left > s_attempt || missing[at] is null)
                    missing[at] = $"{members[at]} does not answer: {(e is OperationCanceledException ? "it is silent." : e.Message)}";
            }
        }

        static (Answer, long, byte[]) Parse(byte[] answer)
        {
            SpanReader from = new(answer.AsSpan(1));
            Answer kind = (Answer)answer[0];
            if (kind is < Answer.Done or > Answer.Later) throw new IOException("What it sends is no answer. Has it another version?");
            if (kind == Answer.Wrong) throw new ArgumentException(from.ReadText());
            return (kind, (long)from.ReadVarint(), from.Unread.ToArray());
        }
    }
}
