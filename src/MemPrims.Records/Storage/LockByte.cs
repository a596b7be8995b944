namespace MemPrims.Records.Storage;

/// <summary>Which byte of the file a lock is on. Only the number matters; the byte's contents do not.</summary>
internal enum LockByte
{
    /// <summary>Shared by the pins of an even transaction; exclusive while one of the same parity is committed.</summary>
    EvenTransactions = 0,

    /// <summary>The same for odd ones.</summary>
    OddTransactions = 1,

    /// <summary>Exclusive for the one writer.</summary>
    Writer = 2,
}
