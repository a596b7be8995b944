namespace MemPrims.Records.Writing;

// Transactions that are committed together, by one write and one sync, and end together.
internal sealed class CommitGroup(PageSet set, int failures) : SharedOutcome
{
    private int _members;

    public PageSet Set { get; } = set;

    // How many commits had failed when the first transaction joined.
    public int FailuresBefore { get; } = failures;

    // Records in the file, after all of them.
    public int Count { get; private set; }

    // Free ones among them.
    public int FreeCount { get; private set; }

    public int Members => Volatile.Read(ref _members);

    // The code that waits for the group. A pin that it holds would never end meanwhile.
    public List<object> Waiting { get; } = [];

    // Takes over what a transaction did. `goesOn`: its thread does not wait. Under the lock of turns.
    public void Join(WriteBatch batch, bool goesOn)
    {
        Set.Take(batch.Set, copies: goesOn);
        (Count, FreeCount) = (batch.Count, batch.FreeCount);
        if (!goesOn)
        {
            Add();
            if (HeldLocks.RunningCode is { } code) Waiting.Add(code);
        }
        Volatile.Write(ref _members, _members + 1);
    }

    // Whether the writer is left when the group has ended: its first transaction does not wait inside.
    public bool LeavesAtEnd { get; set; }

    protected override Exception Told(Exception failure) => failure switch
    {
        MappedFileException e => new MappedFileException(e.Reason, e.Path,
            $"{e.What} The transaction was committed together with others and has ended: nothing of it is in the file, do it anew.",
            e.Page, e.Expected, e.Actual, e),
        ObjectDisposedException e => new ObjectDisposedException(e.Message, e),
        _ => new InvalidOperationException("The commit failed, and nothing of the transaction is in the file: do it anew.", failure),
    };
}
