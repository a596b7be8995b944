namespace MemPrims.Records;

/// <summary>Records that follow each other.</summary>
public readonly struct RecordRange
{
    internal RecordRange(int first, int count, string why) => (First, Count, Why) = (first, count, why);

    /// <summary>The first one's id.</summary>
    public int First { get; }

    /// <summary>How many.</summary>
    public int Count { get; }

    /// <summary>What was wrong.</summary>
    public string Why { get; }

    /// <summary>The ids, and what was wrong.</summary>
    public override string ToString() => $"{First}..{First + Count - 1}: {Why}";
}
