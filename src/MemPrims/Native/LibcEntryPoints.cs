namespace MemPrims;

// memcmp and memmove of the platform's C library, resolved once by name.
internal readonly struct LibcEntryPoints
{
    // One routine for both kinds of copy: memmove is right for every overlap, and glibc's memcpy is the same code.
    private const string CompareName = "memcmp", CopyName = "memmove";

    public nint Compare { get; private init; }

    public nint Copy { get; private init; }

    // The names to try on this platform, in order.
    public static string[] PlatformNames =>
        OperatingSystem.IsWindows() ? ["ucrtbase.dll"]
        : OperatingSystem.IsMacOS() ? ["libSystem.dylib"]
        : ["libc.so.6", "libc", "libc.so"];

    // Loads the first library that has both routines. It is never unloaded: the process uses it anyway.
    [UnconditionalSuppressMessage("SingleFile", "IL3000", Justification = "Names of the system's libraries, not paths of assemblies.")]
    public static bool TryLoad(ReadOnlySpan<string> names, out LibcEntryPoints entries)
    {
        foreach (string name in names)
        {
            if (NativeLibrary.TryLoad(name, out nint library)
                && NativeLibrary.TryGetExport(library, CompareName, out nint compare)
                && NativeLibrary.TryGetExport(library, CopyName, out nint copy))
            {
                entries = new LibcEntryPoints { Compare = compare, Copy = copy };
                return true;
            }
        }
        entries = default;
        return false;
    }
}
