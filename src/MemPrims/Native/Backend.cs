namespace MemPrims;

// Which code does the work of Block: the kernels of this library, or libc's memcmp and memmove. The runtime configuration knob
// `MemPrims.Backend` decides once per process: `managed` (the default) or `libc`. The answer is a static readonly field, so that optimised
// code has it as a constant.
internal static class Backend
{
    public const string Knob = "MemPrims.Backend";

    public static readonly bool UsesLibc = Choose(AppContext.GetData(Knob)) && Libc.IsAvailable;

    internal static bool Choose(object? knob)
    {
        if (!BitConverter.IsLittleEndian) throw new PlatformNotSupportedException(
            "MemPrims writes numbers little-endian and runs on little-endian machines only. This machine is big-endian.");
        return knob switch
        {
            null or "" or "managed" => false,
            "libc" => true,
            _ => throw new NotSupportedException(
                $"The runtime configuration knob {Knob} is '{knob}'; it takes 'managed' or 'libc'. "
                + "Correct it in runtimeconfig.json or in the project file."),
        };
    }
}
