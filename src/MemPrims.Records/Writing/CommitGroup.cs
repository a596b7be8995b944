namespace MemPrims.Records.Writing;

/// <summary>Transactions that are committed together, by one write and one sync, and end together.</summary>
internal sealed class CommitGroup(PageSet set, int generation)
{
    private TaskCompletionSource? _completion;
    private readonly ManualResetEventSlim _done = new(false, spinCount: 0);
    private Exception? _failure;
    private int _members;

    public PageSet Set { get; } = set;

    /// <summary>How many failures there had been when the first transaction joined.</summary>
    public int Generation { get; } = generation;

    /// <summary>Records in the file, after all of them.</summary>
    public int Count { get; private set; }

    /// <summary>Free ones among them.</summary>
    public int FreeCount { get; private set; }

    public int Members => Volatile.Read(ref _members);

    /// <summary>The threads that wait for the group: a pin of one of these would be waited for in vain.</summary>
    public List<int> Threads { get; } = [];

    /// <summary>Under the gate.</summary>
    public void Join(WriteBatch batch, bool goesOn)
    {
        Set.Take(batch.Set, copies: goesOn);
        (Count, FreeCount) = (batch.Count, batch.FreeCount);
        if (!goesOn) Threads.Add(Environment.CurrentManagedThreadId);
        Volatile.Write(ref _members, _members + 1);
    }

    /// <summary>The group's end as a task. Under the gate, before the end.</summary>
    public Task Task => (_completion ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    public void Finish(Exception? failure)
    {
        _failure = failure;
        _done.Set();
        if (failure is null) _completion?.SetResult();
        else _completion?.SetException(Told(failure));
    }

    /// <summary>Returns when the group is committed; throws when it could not be.</summary>
    public void Wait()
    {
        _done.Wait();
        if (_failure is not null) throw Told(_failure);
    }

    // An exception of its own for each: one object cannot be thrown by several threads.
    private static Exception Told(Exception failure) =>
        failure is MappedFileException e
            ? new MappedFileException(e.Reason, e.Path,
                $"{e.What} The transaction was committed together with others and has ended: nothing of it is in the file, do it anew.",
                e.Page, e.Expected, e.Actual, e)
            : new InvalidOperationException("The commit failed, and nothing of the transaction is in the file: do it anew.", failure);
}
