namespace MemPrims.Records.Log;

/// <summary>Entering a lock so that an interrupt comes at the thread's next wait.</summary>
internal static class UninterruptedLock
{
    public static Lock.Scope EnterUninterrupted(this Lock gate)
    {
        for (bool interrupted = false; ;)
        {
            try
            {
                Lock.Scope scope = gate.EnterScope();
                if (interrupted) Thread.CurrentThread.Interrupt();
                return scope;
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        }
    }
}
