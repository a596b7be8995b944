using System.Reflection;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace MemPrims.TestKit;

// Runs the tests of a project in a process that has no `dotnet test`, as on an emulated processor, and ends with the line of `dotnet
// test`.
public static class TestRun
{
    // For a run that may end in the middle: what had begun then.
    private static readonly bool s_tells = Environment.GetEnvironmentVariable("MEMPRIMS_TELL") == "1";

    // tests: The project's assembly.
    // words: Parts of names. What has one of them runs; all does where there is none. With a ! before it, a word leaves out.
    public static int Main(Assembly tests, string[] words)
    {
        string[] without = [.. words.Where(word => word[0] == '!').Select(word => word[1..])];
        string[] with = [.. words.Where(word => word[0] != '!')];
        Sink sink = new();
        Options options = new();
        using XunitTestFramework framework = new(sink) { SourceInformationProvider = new NoSources() };
        using ITestFrameworkDiscoverer discoverer = framework.GetDiscoverer(new ReflectionAssemblyInfo(tests));
        discoverer.Find(includeSourceInformation: false, sink, options);
        sink.Ended.WaitOne();
        using ITestFrameworkExecutor executor = framework.GetExecutor(tests.GetName());
        executor.RunTests(sink.Cases.Where(test => $"{test.TestMethod.TestClass.Class.Name}.{test.TestMethod.Method.Name}" is var name
            && !without.Any(name.Contains) && (with.Length == 0 || with.Any(name.Contains))), sink, options);
        sink.Ended.WaitOne();
        Console.WriteLine($"{(sink.Failed > 0 ? "Failed!" : "Passed!")}  - Failed: {sink.Failed}, Passed: {sink.Passed}, Skipped: "
            + $"{sink.Skipped}, Total: {sink.Failed + sink.Passed + sink.Skipped} - {tests.GetName().Name}");
        return sink.Failed > 0 || sink.Passed == 0 ? 1 : 0;
    }

    private sealed class Sink : IMessageSink
    {
        private int _passed, _failed, _skipped;

        public AutoResetEvent Ended { get; } = new(false);

        public List<ITestCase> Cases { get; } = [];

        public int Passed => _passed;

        public int Failed => _failed;

        public int Skipped => _skipped;

        public bool OnMessage(IMessageSinkMessage message)
        {
            if (message is ITestCaseDiscoveryMessage found) Cases.Add(found.TestCase);
            else if (message is ITestStarting begun)
            {
                if (s_tells) Console.WriteLine($"  Began {begun.Test.DisplayName}");
            }
            else if (message is ITestPassed) Interlocked.Increment(ref _passed);
            else if (message is ITestSkipped skipped)
            {
                Interlocked.Increment(ref _skipped);
                Console.WriteLine($"  Skipped {skipped.Test.DisplayName}: {skipped.Reason}");
            }
            else if (message is IFailureInformation failure)
            {
                Interlocked.Increment(ref _failed);
                Console.WriteLine($"  Failed {(message as ITestFailed)?.Test.DisplayName}\n{ExceptionUtility.CombineMessages(failure)}\n"
                    + ExceptionUtility.CombineStackTraces(failure));
            }
            else if (message is IDiscoveryCompleteMessage or ITestAssemblyFinished) Ended.Set();
            return true;
        }
    }

    // Those of `dotnet test` where nothing is set.
    private sealed class Options : ITestFrameworkDiscoveryOptions, ITestFrameworkExecutionOptions
    {
        public TValue GetValue<TValue>(string name) => default!;

        public void SetValue<TValue>(string name, TValue value)
        {
        }
    }

    private sealed class NoSources : ISourceInformationProvider
    {
        public ISourceInformation GetSourceInformation(ITestCase testCase) => null!;

        public void Dispose()
        {
        }
    }
}
