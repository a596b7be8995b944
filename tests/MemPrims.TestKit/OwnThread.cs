namespace MemPrims.TestKit;

// A call on a thread of its own. What awaits the call goes on elsewhere: without that option an await without a synchronization context
// goes on right on the call's thread, and a test of two threads is one of a single thread, now and then.
public static class OwnThread
{
    private const TaskCreationOptions Options = TaskCreationOptions.LongRunning | TaskCreationOptions.RunContinuationsAsynchronously;

    // Begins the call.
    public static Task Run(Action action) => Task.Factory.StartNew(action, CancellationToken.None, Options, TaskScheduler.Default);

    // Begins the call.
    public static Task<T> Run<T>(Func<T> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, Options, TaskScheduler.Default);
}
