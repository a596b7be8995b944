namespace MemPrims.TestKit;

/// <summary>
/// How much a test does. `dotnet test` runs a sample of what takes long; with MEMPRIMS_LONG=1, as `.ci/run` sets it, the same tests run
/// all of it.
/// </summary>
public static class LongRuns
{
    /// <summary>Whether tests run all that they can.</summary>
    public static bool On { get; } = Environment.GetEnvironmentVariable("MEMPRIMS_LONG") == "1";

    /// <summary>The rounds, lengths or seconds of a test: few of them, or all.</summary>
    public static T Of<T>(T sample, T all) => On ? all : sample;
}
