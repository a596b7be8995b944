namespace MemPrims.Fuzz;

/// <summary>The inputs of a target: what its writers make, and the files that fuzzers found.</summary>
internal static class Corpus
{
    /// <summary>In the repository, and beside the built tests.</summary>
    public const int MostBytes = 1 << 20;

    public static string Folder { get; } = Path.Combine(AppContext.BaseDirectory, "Corpus");

    public static IEnumerable<(string Name, byte[] Bytes)> Of(Target target)
    {
        int i = 0;
        foreach (byte[] seed in target.Seeds()) yield return ($"seed {i++}", seed);
        foreach (string file in FilesOf(target)) yield return (Path.GetFileName(file), File.ReadAllBytes(file));
    }

    public static string[] FilesOf(Target target)
    {
        string folder = Path.Combine(Folder, target.Name);
        return Directory.Exists(folder) ? [.. Directory.GetFiles(folder).Order(StringComparer.Ordinal)] : [];
    }
}
