namespace MemPrims.Tool;

// `doctor [--expect Tier] [--json]`: what MemPrims uses in a process that starts with this environment.
internal static class DoctorCommand
{
    // The settings that choose a tier in .NET 10. They are shown always; others of their kind are shown when they are set.
    private static readonly string[] s_settings =
    [
        "DOTNET_EnableAVX512", "DOTNET_EnableAVX2", "DOTNET_EnableHWIntrinsic", "DOTNET_PreferredVectorBitWidth",
            "DOTNET_TieredCompilation",
        "DOTNET_TieredPGO",
    ];

    public static int Run(Tier? expected, bool json)
    {
        using (Report report = new(json)) Find(report);
        return expected is null || expected == Hardware.Tier ? Exit.Ok
            : Failure.Tell(Exit.CheckFailed, $"The tier in use is {Hardware.Tier}, not {expected}. {Reason()}");
    }

    private static void Find(Report report)
    {
        report.Add("tier", Hardware.Tier.ToString());
        report.Add("backend",
            (Backend.UsesLibc ? "libc" : "managed") + " in this process; a program tells its own by Hardware.Describe()");
        report.Add("libc", Libc.IsAvailable ? "found"
            : $"not found (tried {string.Join(", ", Libc.Names)}); the managed kernels do all work");
        report.Add("CRC-32C", ChecksumPath());
        report.Add("runtime", $"{RuntimeInformation.FrameworkDescription}, {RuntimeInformation.RuntimeIdentifier}");
        report.Add("architecture", $"{RuntimeInformation.ProcessArchitecture}, {Environment.ProcessorCount} processors");
        report.Add("page size", $"{Environment.SystemPageSize} B");
        foreach (string setting in s_settings.Union(OthersThatAreSet()))
            report.Add(setting, Environment.GetEnvironmentVariable(setting) ?? "not set");
    }

    private static IEnumerable<string> OthersThatAreSet() => Environment.GetEnvironmentVariables().Keys.Cast<string>()
        .Where(name =>
            name.StartsWith("DOTNET_Enable", StringComparison.Ordinal) || name.StartsWith("COMPlus_", StringComparison.Ordinal)).Order();

    private static string ChecksumPath() =>
        Crc32CFolding.IsSupported ? $"carry-less folding from {Crc32CFolding.Minimum} B, the CRC instruction below"
        : Crc32CStreams.IsSupported ? "the CRC instruction"
        : "tables";

    private static string Reason()
    {
        string[] set = [.. s_settings.Union(OthersThatAreSet()).Where(setting => Environment.GetEnvironmentVariable(setting) is not null)];
        return set.Length == 0
            ? "No setting of the runtime lowers it: this is what the processor has, as far as the runtime sees it."
            : $"Look at what is set in the environment: {string.Join(", ", set)}.";
    }
}
