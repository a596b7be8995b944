namespace MemPrims.Records.Storage;

// A sync of the whole file that runs beside other calls.
internal sealed class RunningSync(Func<bool> hasEnded, Action wait)
{
    public bool HasEnded => hasEnded();

    // Returns when it has ended, and throws what a failed sync throws.
    public void Wait() => wait();
}
