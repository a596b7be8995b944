namespace MemPrims.Records.Waiting;

// Ends what asynchronous code waits for. .NET locks the list of a task's continuations while it completes the task, and an interrupt that
// comes at that lock leaves all of them waiting for ever. So a thread that its owner may interrupt leaves the end to one of ours.
internal static class Completion
{
    private static readonly OwnThread s_thread = new("MemPrims.Records: ends of asynchronous waits");

    // Nothing is done where nobody waits.
    public static void End(TaskCompletionSource? source, Exception? failure = null)
    {
        if (source is not null) EndOne(source, failure);
    }

    // Apart: a method with a closure allocates it on entry, and mostly nobody waits.
    private static void EndOne(TaskCompletionSource source, Exception? failure)
    {
        // The pool's threads are nobody's to interrupt, and need not wake another.
        bool canBeInterrupted = !Thread.CurrentThread.IsThreadPoolThread && !OwnThread.IsRunning;
        if (!canBeInterrupted || !s_thread.TryPost(() => Complete(source, failure))) Complete(source, failure);
    }

    private static void Complete(TaskCompletionSource source, Exception? failure)
    {
        try
        {
            // The first work that is queued starts the pool. Where that fails, those that follow are queued without a word.
            if (ThreadPool.ThreadCount == 0) ThreadPool.UnsafeQueueUserWorkItem(static _ => { }, null);
        }
        catch (OutOfMemoryException)
        {
            // The system gives this process no thread. What was done is done, and the caller is told so; the others wait for the pool's.
        }
        try
        {
            if (failure is null) source.SetResult();
            else source.SetException(failure);
        }
        catch (OutOfMemoryException) { }
    }
}
