namespace MemPrims.Records;

/// <summary>
/// Nothing to pass: left out, it makes the compiler keep what a call returns within the block of the call, so that no span outlives its
/// snapshot.
/// </summary>
public readonly struct CallersBlock;
