using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using static DocumentStore.Cluster.Message;

namespace DocumentStore.Cluster;

/// <summary>
/// Asks a cluster. It finds the leader, follows it, and asks again where an answer is missing: a batch has this client's id and its
/// number, so it counts once. Threads: one.
/// </summary>
/// <param name="members">All members, in the order that the nodes have them.</param>
/// <param name="patience">How long to try; 30 seconds unless told.</param>
public sealed class ClusterClient(IPEndPoint[] members, TimeSpan? patience = null) : IDisposable
{
    private static readonly TimeSpan s_attempt = TimeSpan.FromSeconds(5), s_pause = TimeSpan.FromMilliseconds(20);
    private readonly TimeSpan _patience = patience ?? TimeSpan.FromSeconds(30);
    private readonly TcpClient?[] _connections = new TcpClient?[members.Length];
    private readonly Guid _id = Guid.NewGuid();
    private long _number;
    private int _leader;

    /// <summary>Makes all changes of a batch, or none of them.</summary>
    /// <returns>A position: a replica that has come so far has the batch.</returns>
    /// <exception cref="TimeoutException">Nobody has acknowledged it: it may count, or not.</exception>
    /// <exception cref="ArgumentException">No collection takes it.</exception>
    public Task<long> CommitAsync(Batch batch) => ProposeAsync(Proposal.Encode(_id, ++_number, batch));

    /// <summary>Finds a document: of all that was acknowledged before, or as a replica has it.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="atLeast">A position that the replica must have.</param>
    /// <param name="member">Which replica, from 1 on.</param>
    /// <returns>Null where there is none.</returns>
    /// <exception cref="TimeoutException">Nobody has answered.</exception>
    public async Task<byte[]?> GetAsync(string key, long? atLeast = null, int? member = null)
    {
        (Answer kind, _, byte[] rest) = await AskAsync(Of(Request.Get, (ref to) =>
        {
            to.WriteVarint(Awaited(atLeast));
            to.WriteText(key);
        }), member).ConfigureAwait(false);
        return kind == Answer.None ? null : rest;
    }

    /// <summary>Counts values among the documents that have all of some other ones.</summary>
    /// <inheritdoc cref="GetAsync"/>
    public async Task<ClusterCounts> CountAsync(string[] facets, (string Facet, string Value)[] where, int top, long? atLeast = null) =>
        ClusterCounts.Read((await AskAsync(ClusterCounts.Ask(facets, where, top, atLeast)).ConfigureAwait(false)).More, facets);

    /// <summary>A page of documents in the order of an index.</summary>
    /// <inheritdoc cref="GetAsync"/>
    internal async Task<RangePage> RangeAsync(Query query, long? atLeast = null) =>
        RangePage.Read((await AskAsync(RangePage.Ask(query, atLeast)).ConfigureAwait(false)).More);

    /// <summary>What a member knows: who leads, 0 for nobody, how far it is, and whether it leads itself.</summary>
    /// <inheritdoc cref="GetAsync"/>
    public async Task<(int Leader, long Applied, bool Leads)> StateAsync(int member)
    {
        (_, long leader, byte[] rest) = await AskAsync(Of(Request.State), member).ConfigureAwait(false);
        SpanReader from = new(rest);
        return ((int)leader, (long)from.ReadVarint(), from.Read<bool>());
    }

    public void Dispose()
    {
        for (int i = 0; i < _connections.Length; i++) Drop(i);
    }

    /// <summary>A piece of the log of a member's collection.</summary>
    /// <exception cref="ArgumentException">The member has another collection by now.</exception>
    /// <exception cref="DamagedDataException">It is not as it was sent.</exception>
    internal async Task<byte[]> PieceAsync(int member, long collection, long position, int bytes)
    {
        byte[] request = Of(Request.Piece, (ref to) =>
        {
            to.Write(collection);
            to.WriteVarint(position);
            to.WriteVarint(bytes);
        });
        (_, long sum, byte[] piece) = await AskAsync(request, member).ConfigureAwait(false);
        if (piece.Length == 0 || Checksum.Crc32C(piece) != sum)
            throw new DamagedDataException($"The piece at {position} is not as it was sent.");
        return piece;
    }

    internal async Task<long> ProposeAsync(byte[] proposal) =>
        (await AskAsync([(byte)Request.Put, .. proposal]).ConfigureAwait(false)).Position;

    private async Task<(Answer Kind, long Position, byte[] More)> AskAsync(byte[] request, int? member = null)
    {
        if (member < 1 || member > members.Length)
            throw new ArgumentOutOfRangeException(nameof(member), $"There are {members.Length} members, and none is {member}.");
        string? missing = null;
        for (long start = Stopwatch.GetTimestamp(); ; await Task.Delay(s_pause).ConfigureAwait(false))
        {
            TimeSpan left = _patience - Stopwatch.GetElapsedTime(start);
            if (missing is not null && left <= TimeSpan.Zero) throw new TimeoutException(missing);
            int at = member - 1 ?? _leader;
            try
            {
                byte[] answer = await AskOnceAsync(at, request, left < s_attempt ? left : s_attempt).ConfigureAwait(false);
                (Answer kind, long number, byte[] rest) = Parse(answer);
                if (kind is not (Answer.NotLeader or Answer.Later)) return (kind, number, rest);
                bool isTold = number > 0 && number <= members.Length && number - 1 != at;
                if (kind == Answer.NotLeader) _leader = isTold ? (int)number - 1 : (at + 1) % members.Length;
                missing = kind == Answer.Later ? $"{members[at]}: {new SpanReader(answer.AsSpan(1)).ReadText()}"
                    : member is null ? "The members have no leader."
                    : $"{members[at]} does not lead, and answers only with a position that is enough.";
            }
            catch (Exception e) when (e is IOException or SocketException or OperationCanceledException)
            {
                Drop(at);
                _leader = (at + 1) % members.Length;
                // Where time was up, what was missing before says more.
                if (e is not OperationCanceledException || left > s_attempt || missing is null)
                    missing = $"{members[at]} does not answer: {(e is OperationCanceledException ? "it is silent." : e.Message)}";
            }
        }

        static (Answer, long, byte[]) Parse(byte[] answer)
        {
            SpanReader from = new(answer.AsSpan(1));
            if ((Answer)answer[0] == Answer.Wrong) throw new ArgumentException(from.ReadText());
            return ((Answer)answer[0], (long)from.ReadVarint(), from.Unread.ToArray());
        }
    }

    // A node that hangs does not hold a client up: what was sent may be sent again to another one.
    private async Task<byte[]> AskOnceAsync(int at, byte[] request, TimeSpan most)
    {
        using CancellationTokenSource stop = new(most);
        if (_connections[at] is not { } connection)
        {
            _connections[at] = connection = new() { NoDelay = true };
            await connection.ConnectAsync(NodeOptions.ClientsOf(members[at]), stop.Token).ConfigureAwait(false);
        }
        await SendAsync(connection.GetStream(), request, stop.Token).ConfigureAwait(false);
        return await ReceiveAsync(connection.GetStream(), MostAnswer, stop.Token).ConfigureAwait(false);
    }

    private void Drop(int at) => Interlocked.Exchange(ref _connections[at], null)?.Dispose();
}
