namespace MemPrims;

// Chooses the backend before any routine runs. A setting that cannot be understood makes every call fail, from the first one on.
internal static class Startup
{
    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255:The 'ModuleInitializer' attribute should not be used in libraries",
        Justification = "It reads one setting of the runtime, and nothing later can take its place.")]
    internal static void ChooseBackend()
    {
        // Called here first, so that its exception is wrapped once and not twice.
        Backend.Choose(AppContext.GetData(Backend.Knob));
        Backend.ChooseByKnob();
    }
}
