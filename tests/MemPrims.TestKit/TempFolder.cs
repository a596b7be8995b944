namespace MemPrims.TestKit;

// A folder of the test's own, removed with all that is in it. `under`: where; the system's temporary folder when null.
public sealed class TempFolder(string? under = null) : IDisposable
{
    public string Path { get; } =
        Directory.CreateDirectory(System.IO.Path.Combine(under ?? System.IO.Path.GetTempPath(), $"memprims-{Guid.NewGuid():N}")).FullName;

    /// <summary>A folder, and the path of a file in it.</summary>
    public static TempFolder With(string name, out string path)
    {
        TempFolder folder = new();
        path = folder.File(name);
        return folder;
    }

    public string File(string name) => System.IO.Path.Combine(Path, name);

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
