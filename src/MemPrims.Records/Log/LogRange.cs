namespace MemPrims.Records;

/// <summary>A part of a log.</summary>
/// <param name="From">The position of its first byte.</param>
/// <param name="To">The position after its last one.</param>
public readonly record struct LogRange(long From, long To);
