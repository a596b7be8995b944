using System.Text;

namespace DocumentStore;

/// <summary>
/// Trees and numbers in a file that follow from the log, so that the file can be deleted at any time. Threads: any number of readers, or
/// one writer.
/// </summary>
internal sealed class TreeFile : IDisposable
{
    private readonly MappedPages _pages;

    /// <summary>Opens the file, or begins anew where it has nothing that can be used.</summary>
    /// <param name="path">The file.</param>
    /// <param name="log">The log. The file may be of another one, or ahead of an older copy, or a compaction may have dropped what it has
    /// not read yet.</param>
    /// <param name="waits">How long to wait for another process that is about to close the file.</param>
    public TreeFile(string path, LogFile log, TimeSpan waits = default)
    {
        _pages = OpenPages(path, waits);
        if (this["log"] == (long)log.Id && Position >= log.Start && Position <= log.End) return;
        _pages.Dispose();
        _pages = MappedPages.Create(path);
        (this["log"], Position, IsNew) = ((long)log.Id, log.Start, true);
    }

    /// <summary>Whether it has begun anew.</summary>
    public bool IsNew { get; }

    /// <summary>All changes of the log up to here are in, and on the disk.</summary>
    public long SavedTo => _pages.LastCheckpoint;

    /// <summary>All changes of the log up to here are in.</summary>
    public long Position
    {
        get => this["position"];
        set => this["position"] = value;
    }

    /// <summary>A number by its name; 0 unless set.</summary>
    public long this[string name]
    {
        get => Tree("numbers").TryGet(Utf8(name), out ReadOnlySpan<byte> number) ? BitConverter.ToInt64(number) : 0;
        set => Tree("numbers").Set(Utf8(name), BitConverter.GetBytes(value));
    }

    public SortedTree Tree(string name) => _pages.Tree(Utf8(name));

    /// <summary>Brings all to the disk.</summary>
    public void Save() => _pages.Checkpoint(Position);

    public void Dispose() => _pages.Dispose();

    internal static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);

    private static MappedPages OpenPages(string path, TimeSpan waits)
    {
        // No crash leaves an empty file: another program emptied it, and MappedPages refuses it. Here it is built again of the log.
        if (new FileInfo(path) is { Exists: true, Length: 0 } empty) empty.Delete();
        for (long start = Environment.TickCount64; ; Thread.Sleep(5))
        {
            try
            {
                return MappedPages.OpenOrCreate(path);
            }
            catch (IOException) when (File.Exists(path) && Environment.TickCount64 - start < waits.TotalMilliseconds)
            {
            }
        }
    }
}
