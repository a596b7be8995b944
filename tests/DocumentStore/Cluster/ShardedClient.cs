using System.Net;
using System.Text;

namespace DocumentStore.Cluster;

/// <summary>
/// Asks a collection that is hashed over several clusters, its shards: each keeps the documents of some keys, by the same definition.
/// Which shard a key has follows from their number and order, so both stay as they are. Threads: any, as of a
/// <see cref="ClusterClient"/>.
/// </summary>
/// <param name="shards">The members of each.</param>
/// <param name="patience">How long to try; 30 seconds unless told.</param>
public sealed class ShardedClient(IPEndPoint[][] shards, TimeSpan? patience = null) : IDisposable
{
    private readonly ClusterClient[] _shards = shards.Length == 0 ? throw new ArgumentException("A collection has a shard at least.")
        : shards.SelectMany(static members => members).Distinct().Count() < shards.Sum(static members => members.Length)
        ? throw new ArgumentException("A member is there twice: what it has would count twice.")
        : [.. shards.Select(members => new ClusterClient(members, patience))];

    private readonly long[] _reached = new long[shards.Length];

    /// <summary>Makes the changes of a batch: in each shard all of its part, or none.</summary>
    /// <returns>A position for each shard: replicas that have come so far have all that this client has committed.</returns>
    /// <exception cref="TimeoutException">A shard has not acknowledged its part: it may count, or not. The others have theirs.</exception>
    /// <exception cref="ArgumentException">No collection takes it.</exception>
    public async Task<long[]> CommitAsync(Batch batch)
    {
        ArgumentNullException.ThrowIfNull(batch);
        Batch?[] parts = new Batch?[_shards.Length];
        foreach ((string key, ReadOnlyMemory<byte>? content) in batch.Contents)
        {
            Batch part = parts[ShardOf(key)] ??= new();
            _ = content is { } some ? part.Put(key, some) : part.Delete(key);
        }
        long[] positions = await AskAllAsync((shard, at) => parts[at] is { } part ? shard.CommitAsync(part) : Task.FromResult(0L))
            .ConfigureAwait(false);
        lock (_reached) return [.. _reached.Select((at, shard) => _reached[shard] = Math.Max(at, positions[shard]))];
    }

    /// <inheritdoc cref="ClusterClient.GetAsync"/>
    /// <param name="key">Its key.</param>
    /// <param name="atLeast">A position of each shard that its replica must have.</param>
    public Task<byte[]?> GetAsync(string key, long[]? atLeast = null)
    {
        ArgumentNullException.ThrowIfNull(key);
        RequireOneEach(atLeast);
        return _shards[ShardOf(key)].GetAsync(key, atLeast?[ShardOf(key)]);
    }

    /// <summary>
    /// Counts values among the documents that have all of some other ones. The counts are exact: a shard is asked again for what may be
    /// among the first of all. Where batches are committed meanwhile, answers may be before or after each.
    /// </summary>
    /// <inheritdoc cref="GetAsync"/>
    public async Task<ClusterCounts> CountAsync(string[] facets, (string Facet, string Value)[] where, int top, long[]? atLeast = null)
    {
        RequireOneEach(atLeast);
        ClusterCounts[] found = await AskAllAsync((shard, at) => shard.CountAsync(facets, where, top, atLeast?[at])).ConfigureAwait(false);
        (string, ValueCount[])[] merged = new (string, ValueCount[])[facets.Length];
        for (int i = 0; i < facets.Length; i++)
        {
            ValueCount[][] told = [.. found.Select(shard => shard.Facets[i].Values)];
            merged[i] = (facets[i], await TopAsync(facets[i], told, where, top, atLeast).ConfigureAwait(false));
        }
        return new(found.Sum(static shard => shard.Total), merged);
    }

    /// <summary>A page of documents in the order of an index; of equal values those of the earlier shard come first.</summary>
    /// <param name="query">The index, the range, values of facets, and how many documents.</param>
    /// <param name="after">What the page before ended with.</param>
    /// <param name="atLeast">A position of each shard that its replica must have.</param>
    /// <returns>The documents, and what the next page begins after; null after the last one.</returns>
    /// <exception cref="TimeoutException">A shard has not answered.</exception>
    /// <exception cref="ArgumentException">The query has a page or facets of its own, or names no index that there is.</exception>
    public async Task<(FoundDocument[] Documents, byte[][]? Next)> RangeAsync(Query query, byte[][]? after = null, long[]? atLeast = null)
    {
        RequireOneEach(atLeast);
        RequireOneEach(after);
        if (query.After is not null || query.Facets.Length > 0)
            throw new ArgumentException("A range over shards has no facets, and goes on after what the last page returned.");
        RangePage[] pages = await AskAllAsync((shard, at) =>
            shard.RangeAsync(query with { After = after?[at] }, atLeast?[at])).ConfigureAwait(false);
        byte[][] next = [.. after ?? pages.Select(static _ => Array.Empty<byte>())];
        int[] taken = new int[pages.Length];
        List<FoundDocument> documents = [];
        while (documents.Count < query.Limit && Least() is { } least)
        {
            documents.Add(pages[least].Documents[taken[least]++]);
            next[least] = documents[^1].Entry;
            // What this shard has not sent may come before what the others have.
            if (taken[least] == pages[least].Documents.Length && pages[least].HasMore) break;
        }
        bool hasMore = pages.Where((page, shard) => page.HasMore || taken[shard] < page.Documents.Length).Any();
        return ([.. documents], hasMore ? next : null);

        int? Least()
        {
            int? least = null;
            for (int shard = 0; shard < pages.Length; shard++)
            {
                if (taken[shard] < pages[shard].Documents.Length && (least is not { } other
                    || Block.Compare(pages[shard].Documents[taken[shard]].Value, pages[other].Documents[taken[other]].Value) < 0))
                    least = shard;
            }
            return least;
        }
    }

    public void Dispose()
    {
        foreach (ClusterClient shard in _shards) shard.Dispose();
    }

    private Task<ValueCount[]> TopAsync(string facet, ValueCount[][] told, (string, string)[] where, int top, long[]? atLeast)
    {
        return TopMerge.OfAsync(told, top, TellAsync, CountAsync);

        async Task<ValueCount[][]> TellAsync(int asked)
        {
            ClusterCounts[] found = await AskAllAsync((shard, at) => shard.CountAsync([facet], where, asked, atLeast?[at]))
                .ConfigureAwait(false);
            return [.. found.Select(static shard => shard.Facets[0].Values)];
        }

        async Task<int[]> CountAsync(int shard, string[] values)
        {
            int[] counts = new int[values.Length];
            for (int i = 0; i < values.Length; i++)
            {
                ClusterCounts found = await _shards[shard].CountAsync([], [.. where, (facet, values[i])], 0, atLeast?[shard])
                    .ConfigureAwait(false);
                counts[i] = (int)found.Total;
            }
            return counts;
        }
    }

    private void RequireOneEach<T>(T[]? some)
    {
        if (some is not null && some.Length != _shards.Length)
            throw new ArgumentException($"There are {_shards.Length} shards, and {some.Length} places in them were given: what a call "
                + "with the same shards returned has one for each.");
    }

    private Task<T[]> AskAllAsync<T>(Func<ClusterClient, int, Task<T>> ask) => Task.WhenAll(_shards.Select(ask));

    // The checksum's high bits: it is a standard, so keys stay where they are.
    private int ShardOf(string key) => (int)((ulong)Checksum.Crc32C(Encoding.UTF8.GetBytes(key)) * (uint)_shards.Length >> 32);
}
