namespace MemPrims.Channels;

/// <summary>Where this package works: 64-bit Linux with the least significant byte first.</summary>
internal static class Platform
{
    public static void Require()
    {
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess || !BitConverter.IsLittleEndian)
            throw new PlatformNotSupportedException("MemPrims.Channels passes descriptors and memory as 64-bit Linux does, on x64 and " +
                "arm64. Elsewhere use System.Net.Sockets.");
    }
}
