namespace MemPrims.Guard;

/// <summary>Where the files of rows lie: in memory, where Linux has it. A disk's time is not ours.</summary>
internal static class Places
{
    public static string NewFolder() =>
        Directory.CreateDirectory(Path.Combine(Directory.Exists("/dev/shm") ? "/dev/shm" : Path.GetTempPath(),
            $"memprims-{Guid.NewGuid():N}"))
            .FullName;
}
