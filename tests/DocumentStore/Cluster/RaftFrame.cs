namespace DocumentStore.Cluster;

/// <summary>What the file of Raft's log keeps: an entry, a term with its vote, or where the log begins anew. Threads: a value.</summary>
internal readonly ref struct RaftFrame : IEncodable<RaftFrame>
{
    public enum Kinds : byte { Entry = 1, Vote = 2, Head = 3 }

    public required Kinds Kind { get; init; }

    /// <summary>The index of an entry. It takes the place of all that came before in the file from this index on; a head of all.</summary>
    public long Index { get; init; }

    public required long Term { get; init; }

    /// <summary>A proposal, or nothing where a leader begins; of a vote the member, or nothing.</summary>
    public ReadOnlySpan<byte> Content { get; init; }

    public static int Bound(in RaftFrame frame) => 32 + frame.Content.Length;

    public static void Encode(in RaftFrame frame, ref UnsafeAppender to)
    {
        to.Write(frame.Kind);
        to.WriteVarint((ulong)frame.Index);
        to.WriteVarint((ulong)frame.Term);
        to.Write(frame.Content);
    }

    public static RaftFrame Decode(ReadOnlySpan<byte> payload)
    {
        SpanReader from = new(payload);
        return new()
        {
            Kind = from.Read<Kinds>(), Index = (long)from.ReadVarint(), Term = (long)from.ReadVarint(), Content = from.Unread,
        };
    }
}
