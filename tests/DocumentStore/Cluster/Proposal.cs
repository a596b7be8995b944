namespace DocumentStore.Cluster;

/// <summary>A batch as Raft's log has it, with the client's id and the batch's number, by which it counts once. Threads: static.</summary>
internal static class Proposal
{
    /// <summary>A longer batch would not get to a follower within the time of a request.</summary>
    public const int MostBytes = 16 << 20;

    /// <exception cref="ArgumentException">It would be longer.</exception>
    public static byte[] Encode(Guid client, long number, Batch batch)
    {
        using SegmentList list = new();
        using Appender to = new(list);
        to.Write(client.ToByteArray());
        to.WriteVarint(number);
        foreach ((string key, ReadOnlyMemory<byte>? content) in batch.Contents)
        {
            to.WriteText(key);
            to.Write(content is null ? (byte)0 : (byte)1);
            if (content is { } some) to.WriteBlock(some.Span);
        }
        to.Commit();
        if (list.Length > MostBytes)
            throw new ArgumentException($"The batch has {list.Length:N0} bytes; in a cluster one has at most {MostBytes:N0}.");
        return list.ToArray();
    }

    public static (Guid Client, long Number) Head(ReadOnlySpan<byte> proposal)
    {
        SpanReader from = new(proposal);
        return (new(from.ReadBytes(16)), (long)from.ReadVarint());
    }

    /// <summary>Puts the changes into a batch, whose documents are those bytes: they must stay.</summary>
    /// <exception cref="ArgumentException">No document can have such a key.</exception>
    public static void AddTo(Batch batch, byte[] proposal)
    {
        SpanReader from = new(proposal);
        from.Advance(16);
        from.ReadVarint();
        while (from.Remaining > 0)
        {
            string key = from.ReadText();
            if (Replica.IsOwn(key)) throw new ArgumentException("That key is the cluster's own.");
            if (from.Read<byte>() == 0)
            {
                batch.Delete(key);
                continue;
            }
            int length = from.ReadBlock().Length;
            batch.Put(key, proposal.AsMemory((int)(proposal.Length - from.Remaining) - length, length));
        }
    }
}
