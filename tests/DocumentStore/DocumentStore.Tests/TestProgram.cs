using DocumentStore.Index;

namespace DocumentStore.Tests;

/// <summary>The entry of the processes that tests start: workers, and engines to be killed.</summary>
internal static class TestProgram
{
    private static int Main(string[] args)
    {
        if (IndexWorker.TryRun(args, out int code)) return code;
        return Engine.Run(args);
    }
}
