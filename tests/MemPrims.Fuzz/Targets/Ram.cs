namespace MemPrims.Fuzz;

/// <summary>A place for the files of targets that read files: in memory, where there is such a folder.</summary>
internal static class Ram
{
    private static readonly TempFolder s_folder = new(Directory.Exists("/dev/shm") ? "/dev/shm" : null);

    static Ram() => AppDomain.CurrentDomain.ProcessExit += static (_, _) => s_folder.Dispose();

    public static string Path(string name) => s_folder.File(name);
}
