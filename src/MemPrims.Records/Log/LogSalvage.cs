namespace MemPrims.Records;

/// <summary>What <see cref="LogFile.Salvage"/> found.</summary>
public sealed class LogSalvage
{
    internal LogSalvage(long frames, IReadOnlyList<LogRange> lost) => (Frames, Lost) = (frames, lost);

    /// <summary>How many frames are in the new log.</summary>
    public long Frames { get; }

    /// <summary>The places of the damaged log that had frames once, and have no sound ones.</summary>
    public IReadOnlyList<LogRange> Lost { get; }

    /// <summary>The report in one line, with every place.</summary>
    public override string ToString() => $"{Frames} frames, {Lost.Count} places lost [{string.Join(", ", Lost)}]";
}
