namespace DocumentStore.Cluster;

/// <summary>
/// The top values of a facet over all shards, out of the top values of each. A shard that tells its first `asked` values has no other
/// one more often than its last: so each value has a least and a most count, and what may be among the first is asked for again.
/// Threads: one.
/// </summary>
internal sealed class TopMerge
{
    private const int Untold = -1;

    // By value: its count in each shard.
    private readonly Dictionary<string, int[]> _counts = new(StringComparer.Ordinal);

    // What a value that a shard has not told may count there.
    private readonly int[] _most;
    private readonly int _top;

    // told: the values that each shard sends, the most frequent first. asked: how many values the question is for.
    private TopMerge(ValueCount[][] told, int asked, int top)
    {
        _top = top;
        _most = [.. told.Select(values => values.Length < asked || asked == 0 ? 0 : values[^1].Count)];
        for (int shard = 0; shard < told.Length; shard++)
            foreach (ValueCount value in told[shard]) Counts(value.Value)[shard] = value.Count;
    }

    // Whether a value that no shard has told may be among the first: then all must tell more.
    private bool IsTooShort => _top > 0 && _most.Sum() is > 0 and int most && most >= Least;

    /// <summary>The first values of all shards; of equal ones in the order of their characters.</summary>
    /// <param name="told">The first `top` values of each shard.</param>
    /// <param name="top">How many are wanted.</param>
    /// <param name="tell">Has each shard tell so many values.</param>
    /// <param name="count">Has a shard count values.</param>
    public static async Task<ValueCount[]> OfAsync(ValueCount[][] told, int top, Func<int, Task<ValueCount[][]>> tell,
        Func<int, string[], Task<int[]>> count)
    {
        TopMerge merge = new(told, top, top);
        for (int asked = top; merge.IsTooShort;)
        {
            asked = (int)Math.Min(asked * 4L, int.MaxValue);
            merge = new(await tell(asked).ConfigureAwait(false), asked, top);
        }
        await Task.WhenAll(Enumerable.Range(0, told.Length).Select(CountAsync)).ConfigureAwait(false);
        return merge.Values;

        async Task CountAsync(int shard)
        {
            string[] values = merge.MissingIn(shard);
            if (values.Length == 0) return;
            int[] counts = await count(shard, values).ConfigureAwait(false);
            for (int i = 0; i < values.Length; i++) merge._counts[values[i]][shard] = counts[i];
        }
    }

    // The values that may be among the first, and whose count in a shard was not told.
    private string[] MissingIn(int shard) => _most[shard] == 0 ? [] : [.. _counts.Where(value => value.Value[shard] == Untold
        && value.Value.Select((count, at) => (long)(count == Untold ? _most[at] : count)).Sum() >= Least).Select(value => value.Key)];

    private ValueCount[] Values => [.. _counts.Select(value => new ValueCount(value.Key, checked((int)Told(value.Value))))
        .Where(static value => value.Count > 0).OrderByDescending(static value => value.Count)
        .ThenBy(static value => value.Value, StringComparer.Ordinal).Take(_top)];

    // So often, at least, the last of the first values counts; 0 where fewer are known.
    private long Least => _counts.Values.Select(Told).OrderDescending().Skip(_top - 1).FirstOrDefault();

    private static long Told(int[] counts) => counts.Sum(static count => (long)Math.Max(count, 0));

    private int[] Counts(string value)
    {
        if (_counts.TryGetValue(value, out int[]? counts)) return counts;
        _counts.Add(value, counts = new int[_most.Length]);
        counts.AsSpan().Fill(Untold);
        return counts;
    }
}
