namespace MemPrims.Records.Waiting;

// The locks of an open file. A thread that holds one enters only later ones.
internal enum LockOrder
{
    None,
    // One thread at a time writes to the file. No other lock is held while the disk works: RecordWriter.
    Disk,
    // Whose turn it is, and which commits are under way: RecordWriter.
    Turn,
    // What is committed, and the maps: Reading.RecordFile.
    State,
    // Memory for pages, pins, lists of work: nothing is entered from within.
    Leaf,
}
