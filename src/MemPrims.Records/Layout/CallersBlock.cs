namespace MemPrims.Records;

/// <summary>
/// Nothing to pass. Left out, it keeps what a call returns within the block of the call, so no span outlives its snapshot.
/// </summary>
public readonly struct CallersBlock;
