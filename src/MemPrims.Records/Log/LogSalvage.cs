namespace MemPrims.Records;

/// <summary>What <see cref="LogFile.Salvage"/> found.</summary>
/// <param name="Frames">How many frames are in the new log.</param>
/// <param name="Lost">The places of the damaged log that had frames once, and have no sound ones.</param>
public sealed record LogSalvage(long Frames, IReadOnlyList<LogRange> Lost);
