using static DocumentStore.Cluster.Message;

namespace DocumentStore.Cluster;

/// <summary>What a node answers to requests. Threads: any.</summary>
internal sealed class Answers(Node node, Collection collection, string folder)
{
    private const int MostBytes = 16 << 20;

    private static readonly TimeSpan s_index = TimeSpan.FromMinutes(1);

    /// <exception cref="IOException">The disk fails.</exception>
    public async Task<byte[]> ToAsync(byte[] request, CancellationToken cancellationToken)
    {
        try
        {
            return (Request)request[0] switch
            {
                Request.Put => await PutAsync(request[1..], cancellationToken).ConfigureAwait(false),
                Request.Get => await GetAsync(request, cancellationToken).ConfigureAwait(false),
                Request.Facets => await FacetsAsync(request, cancellationToken).ConfigureAwait(false),
                Request.Range => await RangeAsync(request, cancellationToken).ConfigureAwait(false),
                Request.Piece => Piece(request),
                Request.State => Of(Answer.Done, (ref to) =>
                {
                    to.WriteVarint(node.Leader);
                    to.WriteVarint(node.File.Progress.Applied);
                    to.Write(node.Leads);
                }),
                _ => throw new ArgumentException("There is no such request. Has the node another version?"),
            };
        }
        catch (Exception e) when (e is ArgumentException or DamagedDataException or TimeoutException)
        {
            return Of(Answer.Wrong, (ref to) => to.WriteText(e.Message));
        }
    }

    private async Task<byte[]> PutAsync(byte[] proposal, CancellationToken cancellationToken)
    {
        // What no collection takes is refused before it is in a log, and so is what no follower gets within the time of a request.
        if (proposal.Length > MostBytes)
            throw new ArgumentException($"The batch has {proposal.Length:N0} bytes; in a cluster one has at most {MostBytes:N0}.");
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
        if (!collection.TryGet(key, out ReadOnlySpan<byte> found)) return Of(Answer.None, (ref to) => to.WriteVarint(position));
        byte[] content = found.ToArray();
        return Of(Answer.Done, (ref to) =>
        {
            to.WriteVarint(position);
            to.Write(content);
        });
    }

    private async Task<byte[]> FacetsAsync(byte[] request, CancellationToken cancellationToken)
    {
        (long atLeast, Query query) = Parse(request);
        if (!await MayReadAsync(atLeast, cancellationToken).ConfigureAwait(false)) return NotLeader();
        long position = node.File.Progress.Applied;
        collection.WaitForIndex(collection.End, s_index);
        QueryResult found = collection.Find(query);
        // The replica's own document has no values: it is among all documents, and among no others.
        long own = query.Where.Length == 0 && collection.TryGet(Replica.StateKey, out _) ? 1 : 0;
        return Of(Answer.Done, (ref to) =>
        {
            to.WriteVarint(position);
            to.WriteVarint(found.Total!.Value - own);
            foreach (string facet in query.Facets)
            {
                to.WriteVarint(found.Facets[facet].Length);
                foreach (ValueCount value in found.Facets[facet])
                {
                    to.WriteText(value.Value);
                    to.WriteVarint(value.Count);
                }
            }
        });

        static (long, Query) Parse(byte[] request)
        {
            SpanReader from = new(request.AsSpan(1));
            long atLeast = (long)from.ReadVarint();
            int top = (int)from.ReadVarint();
            (string, FieldValue)[] where = new (string, FieldValue)[(int)from.ReadVarint()];
            for (int i = 0; i < where.Length; i++) where[i] = (from.ReadText(), from.ReadText());
            List<string> facets = [];
            while (from.Remaining > 0) facets.Add(from.ReadText());
            return (atLeast, new() { Where = where, Facets = [.. facets], Top = top, Limit = 0 });
        }
    }

    private async Task<byte[]> RangeAsync(byte[] request, CancellationToken cancellationToken)
    {
        (long atLeast, Query query) = RangePage.Asked(request);
        if (!await MayReadAsync(atLeast, cancellationToken).ConfigureAwait(false)) return NotLeader();
        long position = node.File.Progress.Applied;
        collection.WaitForIndex(collection.End, s_index);
        return RangePage.Answered(position, collection.Find(query));
    }

    /// <param name="atLeast">0 asks for all that was acknowledged; else one more than a position that will do.</param>
    /// <param name="cancellationToken">The node's end.</param>
    private async Task<bool> MayReadAsync(long atLeast, CancellationToken cancellationToken)
    {
        if (atLeast == 0) return await node.BarrierAsync(cancellationToken).ConfigureAwait(false);
        await node.File.Progress.UntilAsync(() => node.File.Progress.Applied >= atLeast - 1, cancellationToken).ConfigureAwait(false);
        return true;
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
