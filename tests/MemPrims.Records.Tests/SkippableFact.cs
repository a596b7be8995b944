using Xunit.Abstractions;
using Xunit.Sdk;

namespace MemPrims.Records.Tests;

// Ends a SkippableFactAttribute test as skipped, and says why: what it needs is not on this machine.
internal sealed class SkipTestException(string why) : Exception(why);

// A fact that finds out while it runs whether the machine can do what it needs. A plain fact decides that at discovery, before every run
// of any test, and what is asked here (may file systems be mounted, can a package be restored) takes seconds.
[AttributeUsage(AttributeTargets.Method)]
[XunitTestCaseDiscoverer("MemPrims.Records.Tests.SkippableDiscoverer", "MemPrims.Records.Tests")]
internal sealed class SkippableFactAttribute : FactAttribute;

// Found by the test framework by its name.
public sealed class SkippableDiscoverer(IMessageSink diagnostics) : IXunitTestCaseDiscoverer
{
    public IEnumerable<IXunitTestCase> Discover(ITestFrameworkDiscoveryOptions options, ITestMethod method, IAttributeInfo fact) =>
        [new SkippableCase(diagnostics, options.MethodDisplayOrDefault(), options.MethodDisplayOptionsOrDefault(), method)];
}

// The case of one such test. The framework makes it by its empty constructor when it hands cases from one process to another.
public sealed class SkippableCase : XunitTestCase
{
    [Obsolete("For the test framework.")]
    public SkippableCase() { }

    public SkippableCase(IMessageSink diagnostics, TestMethodDisplay display, TestMethodDisplayOptions displayOptions, ITestMethod method)
        : base(diagnostics, display, displayOptions, method) { }

    public override async Task<RunSummary> RunAsync(IMessageSink diagnostics, IMessageBus bus, object[] arguments,
        ExceptionAggregator aggregator, CancellationTokenSource stop)
    {
        using Bus skipping = new(bus);
        RunSummary summary = await base.RunAsync(diagnostics, skipping, arguments, aggregator, stop);
        summary.Failed -= skipping.Skipped;
        summary.Skipped += skipping.Skipped;
        return summary;
    }

    private sealed class Bus(IMessageBus inner) : IMessageBus
    {
        public int Skipped { get; private set; }

        public bool QueueMessage(IMessageSinkMessage message)
        {
            if (message is not ITestFailed failed
                || failed.ExceptionTypes[0] != typeof(SkipTestException).FullName) return inner.QueueMessage(message);
            Skipped++;
            return inner.QueueMessage(new TestSkipped(failed.Test, failed.Messages[0]));
        }

        public void Dispose()
        {
            // The inner bus is the runner's.
        }
    }
}
