namespace MemPrims.Records;

/// <summary>What opening a <see cref="LogFile"/> found and did.</summary>
/// <param name="Frames">How many frames there are.</param>
/// <param name="BytesCut">How many bytes at the end were cut off: frames that were never whole, or never acknowledged.</param>
/// <param name="WasClosedCleanly">Whether the last writer was disposed, and all that it had appended was synced; true for a new
/// log.</param>
/// <param name="Why">Why bytes were cut off; null where none were.</param>
public readonly record struct LogRecovery(long Frames, long BytesCut, bool WasClosedCleanly, string? Why);
