using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;

namespace MemPrims.Benchmarks;

/// <summary>
/// The jobs of every BenchmarkDotNet class: one for each instruction tier, chosen in a process of its own by a setting of the runtime.
/// </summary>
public sealed class TierJobs : ManualConfig
{
    public TierJobs(Job basis)
    {
        Add(DefaultConfig.Instance);
        AddJob(
            basis.WithId("widest"),
            basis.WithEnvironmentVariable("DOTNET_EnableAVX512", "0").WithId("256 bits at most"),
            basis.WithEnvironmentVariable("DOTNET_EnableAVX2", "0").WithId("128 bits at most"),
            basis.WithEnvironmentVariable("DOTNET_EnableHWIntrinsic", "0").WithId("scalar"));
    }

    /// <summary>
    /// Takes <c>--job Name</c> out of the arguments: BenchmarkDotNet itself would run that job beside the four; here they are made from
    /// it. Null, after a message, where there is no such job.
    /// </summary>
    public static Job? TakeBasis(ref string[] args)
    {
        int at = Array.FindIndex(args, arg => arg is "--job" or "-j");
        if (at < 0) return Job.Default;
        string name = at + 1 < args.Length ? args[at + 1] : "";
        Job? basis = name.ToLowerInvariant() switch
        {
            "default" => Job.Default,
            "dry" => Job.Dry,
            "short" => Job.ShortRun,
            "medium" => Job.MediumRun,
            "long" => Job.LongRun,
            "verylong" => Job.VeryLongRun,
            _ => null,
        };
        if (basis is null)
            Console.Error.WriteLine($"There is no job '{name}': {args[at]} takes default, dry, short, medium, long or verylong.");
        else args = [.. args[..at], .. args[(at + 2)..]];
        return basis;
    }
}
