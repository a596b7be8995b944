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
    /// it.
    /// </summary>
    public static string[] TakeBasis(string[] args, out Job basis)
    {
        int at = Array.FindIndex(args, arg => arg is "--job" or "-j");
        if (at < 0 || at + 1 == args.Length)
        {
            basis = Job.Default;
            return args;
        }
        basis = args[at + 1].ToLowerInvariant() switch
        {
            "default" => Job.Default,
            "dry" => Job.Dry,
            "short" => Job.ShortRun,
            "medium" => Job.MediumRun,
            "long" => Job.LongRun,
            "verylong" => Job.VeryLongRun,
            _ => throw new ArgumentException(
                $"There is no job '{args[at + 1]}': --job takes default, dry, short, medium, long or verylong."),
        };
        return [.. args[..at], .. args[(at + 2)..]];
    }
}
