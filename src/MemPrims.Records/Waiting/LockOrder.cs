namespace MemPrims.Records.Waiting;

/// <summary>The locks of an open file. A thread that holds one enters only later ones.</summary>
internal enum LockOrder
{
    None,

    /// <summary>One thread at a time writes to the file. No other lock is held while the disk works: <see cref="Writing.Writer"/>.
    /// </summary>
    Disk,

    /// <summary>Whose turn it is, and which commits are under way: <see cref="Writing.Writer"/>.</summary>
    Turn,

    /// <summary>What is committed, and the maps: <see cref="Reading.RecordFile"/>.</summary>
    State,

    /// <summary>Memory for pages, pins, lists of work: nothing is entered from within.</summary>
    Leaf,
}
