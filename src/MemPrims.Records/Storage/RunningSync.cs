namespace MemPrims.Records.Storage;

/// <summary>A sync of the whole file that runs beside other calls.</summary>
internal sealed class RunningSync(Func<bool> hasEnded, Action wait)
{
    public bool HasEnded => hasEnded();

    /// <summary>Returns when it has ended, and throws what a failed sync throws.</summary>
    public void Wait() => wait();
}
