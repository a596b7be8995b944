using System.Text;

namespace DocumentStore;

/// <summary>
/// What to look for: documents in a range of an index, with some values of facets, or both; and what to count among all that are found.
/// </summary>
public sealed record Query
{
    /// <summary>The index whose order the documents come in; without it they come in the order in which they were first put.</summary>
    public string? Index { get; init; }

    /// <summary>Values of the index from here on, and <see cref="To"/> before there.</summary>
    public FieldValue? From { get; init; }

    /// <inheritdoc cref="From"/>
    public FieldValue? To { get; init; }

    /// <summary>Values of facets that all found documents have.</summary>
    public (string Facet, FieldValue Value)[] Where { get; init; } = [];

    /// <summary>Facets whose values are counted among all found documents, and the <see cref="Top"/> of them told.</summary>
    public string[] Facets { get; init; } = [];

    /// <inheritdoc cref="Facets"/>
    public int Top { get; init; } = 10;

    /// <summary>How many documents to give at once.</summary>
    public int Limit { get; init; } = 100;

    /// <summary>The <see cref="QueryResult.Next"/> of the page before.</summary>
    public byte[]? After { get; init; }

    /// <summary>Whether the result has the entries' <see cref="QueryResult.Keys"/>: to merge pages of several collections.</summary>
    internal bool WithKeys { get; init; }

    internal void Check(Definition definition)
    {
        if (Index is not null && !definition.Indexes.Contains(Index)) throw new ArgumentException($"There is no index {Index}.");
        foreach (string facet in Facets.Concat(Where.Select(static where => where.Facet)))
            if (!definition.Facets.Contains(facet)) throw new ArgumentException($"There is no facet {facet}.");
        if (Where.Any(static where => where.Value.Key is null)) throw new ArgumentException("A facet's value is missing.");
        if (Index is null && After is { Length: not sizeof(uint) }) throw new ArgumentException("No page of documents ends so.");
        ArgumentOutOfRangeException.ThrowIfNegative(Limit);
        ArgumentOutOfRangeException.ThrowIfNegative(Top);
    }

    /// <summary>For QueryRunner, which reads it in the same order.</summary>
    internal void Write(SegmentList message)
    {
        using Appender to = new(message);
        to.WriteText(Index ?? "");
        to.WriteBlock(From is { } from ? from.Key : []);
        to.WriteBlock(To is { } end ? end.Key : [0xFF]);
        to.WriteBlock(After);
        to.WriteVarint(Limit);
        to.WriteVarint(Top);
        to.Write(WithKeys);
        to.WriteVarint(Where.Length);
        foreach ((string facet, FieldValue value) in Where)
        {
            to.WriteText(facet);
            to.WriteBlock(value.Name);
        }
        foreach (string facet in Facets) to.WriteText(facet);
        to.Commit();
    }
}

/// <summary>A document that was found, as it was then. It lies in mapped memory, and stays there until the collection is closed, or
/// compacted while nobody has a <see cref="Collection.Pin"/> from before.</summary>
public readonly struct Document
{
    private readonly LogFile _log;
    private readonly long _place;

    internal Document(LogFile log, long place) => (_log, _place) = (log, place);

    /// <exception cref="InvalidOperationException">A compaction has taken it away.</exception>
    public string Key => Encoding.UTF8.GetString(Frame.Key);

    /// <inheritdoc cref="Key"/>
    public ReadOnlySpan<byte> Content => Frame.Content;

    private DocumentFrame Frame => _place >= _log.Start ? DocumentFrame.At(_log, _place)
        : throw new InvalidOperationException("A compaction has taken the document away. Pin the collection before you look for it.");
}

/// <summary>How many of the found documents have a value.</summary>
public readonly record struct ValueCount(string Value, int Count);

/// <summary>What a query has found.</summary>
public sealed record QueryResult
{
    /// <summary>How far the indexes had come: compare with what a commit returned.</summary>
    public required long IndexedTo { get; init; }

    /// <summary>How many there are over all pages. It is told where there are facets to count, or no index; otherwise null.</summary>
    public required long? Total { get; init; }

    /// <summary>For the <see cref="Query.After"/> of the next page; null after the last one.</summary>
    public required byte[]? Next { get; init; }

    /// <summary>A page of documents.</summary>
    public required Document[] Documents { get; init; }

    /// <summary>The key of each document's entry in the index of the query, where it asked for them: the value, and a number.</summary>
    internal byte[][] Keys { get; private init; } = [];

    /// <summary>The top values of each facet of the query.</summary>
    public Dictionary<string, ValueCount[]> Facets { get; } = [];

    /// <summary>Reads what QueryRunner has written.</summary>
    internal static QueryResult Read(ref SpanReader from, Query query, LogFile log)
    {
        QueryResult result = new()
        {
            IndexedTo = (long)from.ReadVarint(), Total = from.ReadZigZag() is >= 0 and long total ? total : null,
            Next = from.ReadBlock() is { Length: > 0 } next ? next.ToArray() : null, Documents = new Document[from.ReadVarintInt32()],
            Keys = new byte[from.ReadVarintInt32()][],
        };
        foreach (ref Document document in result.Documents.AsSpan()) document = new(log, (long)from.ReadVarint());
        foreach (ref byte[] key in result.Keys.AsSpan()) key = from.ReadBlock().ToArray();
        foreach (string facet in query.Facets)
        {
            ValueCount[] values = result.Facets[facet] = new ValueCount[from.ReadVarintInt32()];
            foreach (ref ValueCount value in values.AsSpan()) value = new(from.ReadText(), from.ReadVarintInt32());
        }
        return result;
    }
}
