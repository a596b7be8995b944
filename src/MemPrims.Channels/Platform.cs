using System.Reflection;

namespace MemPrims.Channels;

// Where this package works: 64-bit Linux with the least significant byte first.
internal static class Platform
{
    private const string Metrics = "System.Diagnostics.DiagnosticSource";

    private static volatile bool s_isLoaded;

    public static bool HasMetrics => AppDomain.CurrentDomain.GetAssemblies().Any(one =>
        one.FullName!.StartsWith($"{Metrics},", StringComparison.Ordinal));

    public static void Require()
    {
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess || !BitConverter.IsLittleEndian)
            throw new PlatformNotSupportedException("MemPrims.Channels passes descriptors and memory as 64-bit Linux does, on x64 and " +
                "arm64. Elsewhere use System.Net.Sockets.");
        if (!s_isLoaded) LoadReferences();
    }

    // Loads what this package refers to before it has a channel. To load an assembly takes a descriptor, and one that could not be loaded
    // once is none for the runtime from then on: a handler, a thread or a Dispose that comes when descriptors are out must need none.
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "What was trimmed away is not used.")]
    private static void LoadReferences()
    {
        // Compiled ahead of time there is nothing to load.
        if (RuntimeFeature.IsDynamicCodeSupported)
            foreach (AssemblyName name in typeof(Platform).Assembly.GetReferencedAssemblies())
                // A meter is for a thread of its own: it takes the runtime longer than a first connection.
                if (name.Name != Metrics) Load(name);
        s_isLoaded = true;
    }

    private static void Load(AssemblyName name)
    {
        try
        {
            Assembly.Load(name);
        }
        catch (IOException e)
        {
            throw new IOException($"{name.Name}, which channels use, could not be loaded: {e.Message} Mostly the process has no " +
                "descriptor left (RLIMIT_NOFILE); start it anew with more.", e);
        }
    }
}
