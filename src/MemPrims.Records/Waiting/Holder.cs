namespace MemPrims.Records.Waiting;

// Who took a pin or began a transaction.
internal class Holder
{
    private readonly Thread _thread = Thread.CurrentThread;
    private readonly long _since = Stopwatch.GetTimestamp();

    public TimeSpan Age => Stopwatch.GetElapsedTime(_since);

    public override string ToString() =>
        $"thread {_thread.ManagedThreadId}{(_thread.Name is { } name ? $" (\"{name}\")" : "")} {Age.TotalSeconds:0.0} seconds ago";
}
