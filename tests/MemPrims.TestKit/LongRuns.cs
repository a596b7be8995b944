namespace MemPrims.TestKit;

// How much a test does. `dotnet test` runs a sample of what takes long; with MEMPRIMS_LONG=1 the same tests run all of it. `.ci/run` sets
// that for the commits of records and for their closing.
public static class LongRuns
{
    // Whether tests run all that they can.
    public static bool On { get; } = Environment.GetEnvironmentVariable("MEMPRIMS_LONG") == "1";

    // The rounds, lengths or seconds of a test: few of them, or all.
    public static T Of<T>(T sample, T all) => On ? all : sample;
}
