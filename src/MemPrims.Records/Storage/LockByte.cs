namespace MemPrims.Records.Storage;

// Which byte of the file a lock is on. Only the number matters; the byte's contents do not.
internal enum LockByte
{
    // Shared by the pins of an even transaction; exclusive while one of the same parity is committed.
    EvenTransactions = 0,
    // The same for odd ones.
    OddTransactions = 1,
    // Exclusive for the one writer.
    Writer = 2,
}
