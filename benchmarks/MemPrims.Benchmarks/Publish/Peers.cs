using System.Reflection;
using System.Runtime.InteropServices;
using MemPrims.Benchmarks.Codecs;
using MemPrims.Benchmarks.Sets;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Publish;

/// <summary>The releases of the peers, as they tell them themselves in the process that measures, and which are not here.</summary>
internal static partial class Peers
{
    public static string[] Here() =>
    [
        RuntimeInformation.FrameworkDescription,
        .. OperatingSystem.IsLinux() ? [$"glibc {Text(gnu_get_libc_version())}"] : Array.Empty<string>(),
        Sqlite(),
        LmdbLibrary.IsAvailable ? Text(mdb_version(out _, out _, out _)).Split(':')[0] : "no LMDB",
        CRoaring.Release() is { } release ? $"CRoaring {release}" : "no CRoaring",
        FastPFor.IsAvailable ? "FastPFor" : "no FastPFor",
        $"Google.Protobuf {Release(typeof(Google.Protobuf.IMessage))}",
        $"CommunityToolkit.HighPerformance {Release(typeof(CommunityToolkit.HighPerformance.Box<int>))}",
    ];

    private static string Sqlite()
    {
        SQLitePCL.Batteries_V2.Init();
        return $"SQLite {SQLitePCL.raw.sqlite3_libversion().utf8_to_string()}";
    }

    // Without the commit that some packages write behind a plus.
    private static string? Release(Type type) =>
        type.Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0];

    private static string Text(nint text) => Marshal.PtrToStringUTF8(text) ?? "unknown";

    [LibraryImport("libc")]
    private static partial nint gnu_get_libc_version();

    [LibraryImport("liblmdb.so.0")]
    private static partial nint mdb_version(out int major, out int minor, out int patch);
}
