using static DocumentStore.Cluster.Message;

namespace DocumentStore.Cluster;

/// <summary>What a node answers to requests. Threads: any.</summary>
internal sealed class Answers(Node node, Collection collection, string folder)
{
    // Who waits longer asks again, and learns meanwhile what is waited for.
    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(2);

    /// <exception cref="IOException">The disk fails.</exception>
    public async Task<byte[]> ToAsync(byte[] request, CancellationToken cancellationToken)
    {
        try
        {
            return (Request)request[0] switch
            {
                Request.Put => await PutAsync(request[1..], cancellationToken).ConfigureAwait(false),
                Request.Get => await GetAsync(request, cancellationToken).ConfigureAwait(false),
                Request.Facets when ClusterCounts.Asked(request) is var asked => await FindAsync(
                    asked, (position, found) => Counted(position, found, asked.Query), cancellationToken).ConfigureAwait(false),
                Request.Range => await FindAsync(
                    RangePage.Asked(request), RangePage.Answered, cancellationToken).ConfigureAwait(false),
                Request.Piece => Piece(request),
                Request.State => new NodeState(node.Leader, node.File.Progress.Applied, node.Leads, node.Setup).Answered(),
                _ => throw new ArgumentException("There is no such request. Has the node another version?"),
            };
        }
        catch (TimeoutException e)
        {
            return Of(Answer.Later, (ref to) => to.WriteText(e.Message));
        }
        catch (Exception e) when (e is ArgumentException or DamagedDataException)
        {
            return Of(Answer.Wrong, (ref to) => to.WriteText(e.Message));
        }
    }

    private async Task<byte[]> PutAsync(byte[] proposal, CancellationToken cancellationToken)
    {
        // What no collection takes is refused before it is in a log.
        Proposal.AddTo(new(), proposal);
        return await node.ReplicateAsync(proposal, cancellationToken).ConfigureAwait(false) is { } index
            ? Of(Answer.Done, (ref to) => to.WriteVarint(index)) : NotLeader();
    }

    private async Task<byte[]> GetAsync(byte[] request, CancellationToken cancellationToken)
    {
        (long atLeast, string key) = Parse(request);
        if (!await MayReadAsync(atLeast, cancellationToken).ConfigureAwait(false)) return NotLeader();
        long position = node.File.Progress.Applied;
        return Find(key, position);

        static (long, string) Parse(byte[] request)
        {
            SpanReader from = new(request.AsSpan(1));
            return ((long)from.ReadVarint(), from.ReadText());
        }
    }

    private byte[] Find(string key, long position)
    {
        if (Replica.IsOwn(key) || !collection.TryGet(key, out ReadOnlySpan<byte> found))
            return Of(Answer.None, (ref to) => to.WriteVarint(position));
        byte[] content = found.ToArray();
        return Of(Answer.Done, (ref to) =>
        {
            to.WriteVarint(position);
            to.Write(content);
        });
    }

    private async Task<byte[]> FindAsync((long AtLeast, Query Query) asked, Func<long, QueryResult, byte[]> answered,
        CancellationToken cancellationToken)
    {
        if (!await MayReadAsync(asked.AtLeast, cancellationToken).ConfigureAwait(false)) return NotLeader();
        long position = node.File.Progress.Applied;
        collection.WaitForIndex(collection.End, s_wait);
        return answered(position, collection.Find(asked.Query));
    }

    private byte[] Counted(long position, QueryResult found, Query query)
    {
        // The replica's own documents have no values: they are among all documents, and among no others.
        long own = query.Where.Length == 0 && collection.TryGet(Replica.StateKey, out _) ? Replica.OwnDocuments : 0;
        return ClusterCounts.Answered(position, found.Total!.Value - own, query.Facets.Select(facet => found.Facets[facet]));
    }

    /// <param name="atLeast">0 asks for all that was acknowledged; else one more than a position that will do.</param>
    /// <param name="cancellationToken">The node's end.</param>
    private async Task<bool> MayReadAsync(long atLeast, CancellationToken cancellationToken)
    {
        if (atLeast == 0) return await node.BarrierAsync(cancellationToken).ConfigureAwait(false);
        using CancellationTokenSource soon = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        soon.CancelAfter(s_wait);
        try
        {
            await node.File.Progress.UntilAsync(() => node.File.Progress.Applied >= atLeast - 1, soon.Token).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new TimeoutException($"has come to {node.File.Progress.Applied}, and not to {atLeast - 1}.");
        }
    }

    private byte[] Piece(byte[] request)
    {
        SpanReader from = new(request.AsSpan(1));
        if (from.Read<long>() != Snapshot.IdOf(folder)) throw new ArgumentException("This is another collection than the one offered.");
        node.File.Hold();
        byte[] piece = Snapshot.Read(folder, (long)from.ReadVarint(), (int)Math.Min(from.ReadVarint(), SnapshotTaker.PieceBytes));
        return Of(Answer.Done, (ref to) =>
        {
            to.WriteVarint(Checksum.Crc32C(piece));
            to.Write(piece);
        });
    }

    private byte[] NotLeader() => Of(Answer.NotLeader, (ref to) => to.WriteVarint(node.Leader));
}
