using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Workloads;

/// <summary>Libraries of peers that whoever measures has built: an environment variable names each.</summary>
internal static class PeerLibraries
{
    private static readonly ConcurrentDictionary<string, nint> s_loaded = [];

    // An assembly has one resolver.
    static PeerLibraries() =>
        NativeLibrary.SetDllImportResolver(Assembly.GetExecutingAssembly(), static (name, _, _) => s_loaded.GetValueOrDefault(name));

    /// <summary>Loads the library that the variable names, for imports of `name`. Zero where it names none that loads; then `build`, how
    /// to make it, is told.</summary>
    public static nint Load(string name, string variable, string build)
    {
        string? path = Environment.GetEnvironmentVariable(variable);
        if (!string.IsNullOrEmpty(path) && NativeLibrary.TryLoad(path, out nint library)) return s_loaded[name] = library;
        Console.Error.WriteLine($"{variable} names no library that loads, so {name} is left out. {build}");
        return 0;
    }
}
