using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// Chooses the backend before any routine is compiled. Hot routines are optimised at their first call, once and for all: a class that is not initialised by
/// then would leave a check in them for good.
/// </summary>
internal static class Startup
{
    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255:The 'ModuleInitializer' attribute should not be used in libraries", Justification = "It reads one setting of the runtime, and nothing later can take its place.")]
    internal static void ChooseBackend()
    {
        try
        {
            RuntimeHelpers.RunClassConstructor(typeof(Backend).TypeHandle);
        }
        catch (TypeInitializationException)
        {
            // A setting that cannot be understood. The first routine that asks for the backend throws it again.
        }
    }
}
