namespace MemPrims;

// Which code does the work of Block: the kernels of this library, or libc's memcmp and memmove. The runtime configuration knob
// `MemPrims.Backend` decides once per process: `managed` (the default) or `libc`.
internal static class Backend
{
    public const string Knob = "MemPrims.Backend";

    // One answer in two fields. The JIT has a readonly one as a constant. Native AOT would ask at every use whether it is computed, and
    // save registers for the call that computes it: compare took 1.3 times as long, copies 1.2 ("compare, fixed", Zen 5). So it reads the
    // other one; the readonly two it computes when it compiles.
    private static readonly bool s_isAot = !RuntimeFeature.IsDynamicCodeSupported, s_usesLibc = !s_isAot && IsLibcWanted();
    private static bool s_usesLibcInAot;

    public static bool UsesLibc
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => s_isAot ? s_usesLibcInAot : s_usesLibc;
    }

    // Before any routine runs (Startup).
    public static void ChooseByKnob() => s_usesLibcInAot = IsLibcWanted();

    private static bool IsLibcWanted() => Choose(AppContext.GetData(Knob)) && Libc.IsAvailable;

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
