using System.Runtime.InteropServices;

namespace MemPrims.Tool;

/// <summary>`doctor [--expect Tier]`: what MemPrims uses in a process that starts with this environment.</summary>
internal static class DoctorCommand
{
    // The settings that choose a tier in .NET 10. They are shown always; others of their kind are shown when they are set.
    private static readonly string[] s_settings =
    [
        "DOTNET_EnableAVX512", "DOTNET_EnableAVX2", "DOTNET_EnableHWIntrinsic", "DOTNET_PreferredVectorBitWidth",
            "DOTNET_TieredCompilation",
        "DOTNET_TieredPGO",
    ];

    public static int Run(Tier? expected)
    {
        foreach ((string name, string value) in Findings()) Console.WriteLine($"{name,-32}{value}");
        if (expected is null || expected == Hardware.Tier) return 0;
        Console.Error.WriteLine($"The tier in use is {Hardware.Tier}, not {expected}. {Reason()}");
        return 1;
    }

    private static IEnumerable<(string Name, string Value)> Findings()
    {
        yield return ("tier", Hardware.Tier.ToString());
        yield return ("backend",
            (Backend.UsesLibc ? "libc" : "managed") + " in this process; a program tells its own by Hardware.Describe()");
        yield return ("libc", Libc.IsAvailable ? "found"
            : $"not found (tried {string.Join(", ", LibcEntryPoints.PlatformNames)}); the managed kernels do all work");
        yield return ("CRC-32C", ChecksumPath());
        yield return ("runtime", $"{RuntimeInformation.FrameworkDescription}, {RuntimeInformation.RuntimeIdentifier}");
        yield return ("architecture", $"{RuntimeInformation.ProcessArchitecture}, {Environment.ProcessorCount} processors");
        yield return ("page size", $"{Environment.SystemPageSize} B");
        foreach (string setting in s_settings.Union(OthersThatAreSet())) yield return (setting,
            Environment.GetEnvironmentVariable(setting) ?? "not set");
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
