namespace MemPrims.Records;

/// <summary>A part of a log.</summary>
public readonly struct LogRange
{
    internal LogRange(long from, long to) => (From, To) = (from, to);

    /// <summary>The position of its first byte.</summary>
    public long From { get; }

    /// <summary>The position after its last one.</summary>
    public long To { get; }

    /// <summary>Both, with two dots between them.</summary>
    public override string ToString() => $"{From}..{To}";
}
