namespace MemPrims;

/// <summary>
/// Who does the work: the kernels here, or libc's memcmp and memmove. Chosen once, by the runtime configuration knob
/// <c>MemPrims.Backend</c> (<c>managed</c>, the default, or <c>libc</c>). A static readonly field: tiered code has it as a constant.
/// </summary>
internal static class Backend
{
    public const string Knob = "MemPrims.Backend";

    public static readonly bool UsesLibc = Choose(AppContext.GetData(Knob)) && Libc.IsAvailable;

    internal static bool Choose(object? knob)
    {
        if (!BitConverter.IsLittleEndian) throw new PlatformNotSupportedException("MemPrims lays bytes out little-endian and runs on little-endian machines only; this one is big-endian.");
        return knob switch
        {
            null or "" or "managed" => false,
            "libc" => true,
            _ => throw new NotSupportedException($"The runtime configuration knob {Knob} is '{knob}'; it takes 'managed' or 'libc'. Correct it in runtimeconfig.json or in the project file."),
        };
    }
}
