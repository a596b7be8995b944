using System.Reflection;
using System.Runtime.Loader;

namespace Rig;

/// <summary>The assemblies of one copy: its own, those that lie beside it, and none of another copy.</summary>
internal sealed class Copy(string folder) : AssemblyLoadContext
{
    /// <summary>The copy's `Engine.Rows`; the two share no type but the runtime's.</summary>
    public static Operation[] Load(string path, string data, int keys)
    {
        Copy copy = new(Path.GetFullPath(path));
        Assembly engine = copy.LoadFromAssemblyName(new AssemblyName("engine"));
        MethodInfo rows = engine.GetType("Engine", throwOnError: true)!.GetMethod("Rows")!;
        var parts = rows.CreateDelegate<Func<string, int, IEnumerable<(string, int, long, Func<long>, Action?)>>>();
        return [.. parts(Directory.CreateDirectory(data).FullName, keys).Select(row => new Operation(row))];
    }

    protected override Assembly? Load(AssemblyName assemblyName) =>
        Path.Combine(folder, $"{assemblyName.Name}.dll") is var path && File.Exists(path) ? LoadFromAssemblyPath(path) : null;
}
