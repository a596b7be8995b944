namespace DocumentStore;

internal static class Files
{
    /// <summary>Writes a new file, brings it to the disk, and puts it in the place of the old one.</summary>
    public static void Replace(string path, Action<FileStream> write)
    {
        using (FileStream file = new(path + ".new", FileMode.Create))
        {
            write(file);
            file.Flush(flushToDisk: true);
        }
        File.Move(path + ".new", path, overwrite: true);
    }
}
