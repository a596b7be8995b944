namespace MemPrims.Benchmarks.Records;

/// <summary>Where the files of a case are, and which records it touches. The folders are removed when the process ends.</summary>
internal static class Places
{
    // More than the branch predictor learns by heart.
    public const int Shuffled = 1 << 15;

    private static readonly List<string> s_folders = [];

    static Places() => AppDomain.CurrentDomain.ProcessExit += (_, _) =>
    {
        foreach (string folder in s_folders) Directory.Delete(folder, recursive: true);
    };

    /// <summary>The disk, and memory where Linux has it.</summary>
    public static IEnumerable<(string Name, string Root)> All =>
        Directory.Exists("/dev/shm") ? [("disk", Path.GetTempPath()), ("tmpfs", "/dev/shm")] : [("disk", Path.GetTempPath())];

    public static string NewFolder(string root)
    {
        string folder = Directory.CreateDirectory(Path.Combine(root, $"memprims-benchmark-{Guid.NewGuid():N}")).FullName;
        lock (s_folders) s_folders.Add(folder);
        return folder;
    }

    public static int[] RandomIds(int records, int count = Shuffled)
    {
        Random random = new(records);
        return [.. Enumerable.Range(0, count).Select(_ => random.Next(records))];
    }
}
