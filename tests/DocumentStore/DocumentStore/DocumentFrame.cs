namespace DocumentStore;

/// <summary>
/// What the log keeps of a change of a document. With the document's number and the place of its previous version in it, indexing is a
/// function of the log alone. Threads: a value.
/// </summary>
internal readonly ref struct DocumentFrame : IEncodable<DocumentFrame>
{
    /// <summary>The changes of a batch lie between the marks First and Last. A crash may leave some without the Last: they don't
    /// count. A frame with the mark Moved has what its previous one had.</summary>
    [Flags]
    public enum Marks : byte { First = 1, Last = 2, Delete = 4, Moved = 8 }

    /// <param name="place">Where the frame is.</param>
    /// <param name="size">How many bytes of the log it takes.</param>
    /// <param name="frame">The frame.</param>
    public delegate void Apply(long place, long size, DocumentFrame frame);

    public required Marks Mark { get; init; }
    public required uint Id { get; init; }

    /// <summary>Where the document that this one replaces or deletes is; 0 for none, as no frame is there.</summary>
    public required long Previous { get; init; }

    public required ReadOnlySpan<byte> Key { get; init; }
    public ReadOnlySpan<byte> Content { get; init; }

    public bool IsDelete => Mark.HasFlag(Marks.Delete);

    public bool IsMoved => Mark.HasFlag(Marks.Moved);

    public static int Bound(in DocumentFrame frame) => 32 + frame.Key.Length + frame.Content.Length;

    public static void Encode(in DocumentFrame frame, ref UnsafeAppender to)
    {
        to.Write(frame.Mark);
        to.WriteVarint(frame.Id);
        to.WriteVarint((ulong)frame.Previous);
        to.WriteBlock(frame.Key);
        to.Write(frame.Content);
    }

    public static DocumentFrame Decode(ReadOnlySpan<byte> payload)
    {
        SpanReader from = new(payload);
        return new()
        {
            Mark = from.Read<Marks>(), Id = from.ReadVarintUInt32(), Previous = (long)from.ReadVarint(), Key = from.ReadBlock(),
            Content = from.Unread,
        };
    }

    /// <exception cref="DamagedDataException">There is no frame, or it has rotted.</exception>
    public static DocumentFrame At(LogFile log, long place) => Decode(log.Read(place));

    /// <summary>Tells of the changes of whole batches from a position on, until there are enough of them.</summary>
    /// <param name="log">Where they are.</param>
    /// <param name="position">An end of a batch, or the start of the log. That may lie in a batch whose first changes a compaction has
    /// dropped: they don't matter any more, and the others count.</param>
    /// <param name="end">What lies before it is on the disk, so no batch goes over it.</param>
    /// <param name="enough">How many changes are enough.</param>
    /// <param name="apply">Takes them.</param>
    /// <returns>Where to go on.</returns>
    public static long Replay(LogFile log, long position, long end, int enough, Apply apply)
    {
        List<(long Place, long Size)> batch = [];
        long whole = position;
        foreach (LogEntry entry in log.ReadFrom(position))
        {
            if (entry.Position >= end) break;
            Marks mark = Decode(entry.Payload).Mark;
            if (mark.HasFlag(Marks.First)) batch.Clear();
            batch.Add((entry.Position, entry.Next - entry.Position));
            if (!mark.HasFlag(Marks.Last)) continue;
            foreach ((long place, long size) in batch) apply(place, size, At(log, place));
            whole = entry.Next;
            if ((enough -= batch.Count) <= 0) return whole;
            batch.Clear();
        }
        // What is between the last whole batch and the end was never acknowledged.
        return log.End < end ? whole : end;
    }
}
