namespace MemPrims.Shared;

// Waits that must not be broken off, because what has begun ends before them or nobody else would do it.
internal static class Uninterrupted
{
    // Begins the wait again when the thread is interrupted, and hands the interrupt on to its next wait.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Run<T>(T argument, Action<T> wait)
    {
        for (bool interrupted = false; ;)
        {
            try
            {
                wait(argument);
                if (interrupted) Thread.CurrentThread.Interrupt();
                return;
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        }
    }
}
