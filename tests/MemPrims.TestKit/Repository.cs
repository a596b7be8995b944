namespace MemPrims.TestKit;

// The repository that a test was built in, for tests that hold its sources and pages to rules.
public static class Repository
{
    public static string Root { get; } = Find();

    // The text of a file; the path is relative to the root, with slashes.
    public static string Read(string path) => File.ReadAllText(Path.Combine(Root, path));

    private static string Find()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "MemPrims.sln"))) folder = Path.GetDirectoryName(folder);
        return folder ?? throw new InvalidOperationException(
            $"No folder above {AppContext.BaseDirectory} holds MemPrims.sln: run the tests from a build inside the repository.");
    }
}
