using System.Buffers.Binary;
using System.Text;
using MemPrims.Pages;

namespace DocumentStore.Index;

/// <summary>
/// A file of trees that are made of the log, and the place in the log up to which they are. Threads: as a SortedTree.
/// </summary>
/// <remarks>
/// <para>A file that was closed, or whose last checkpoint nothing followed, is used from there. After a crash it depends on what crashed.
/// Where
/// only the process died, the system still has all that was stored through the map: the trees are whole, unless the process died in the
/// middle of a change, which a tree tells. Where the machine died, any page may be missing, and the file is made anew from the log.</para>
/// <para>What was applied after the noted place is applied again. That is harmless: a document's last change decides what is in the
/// trees.</para>
/// </remarks>
internal sealed class IndexFile : IDisposable
{
    private const int PageSize = 8192;

    private readonly MappedPages _pages;
    private readonly Dictionary<string, SortedTree> _trees = [];
    private readonly SortedTree _state;

    private IndexFile(MappedPages pages, string[] trees)
    {
        _pages = pages;
        _state = pages.Tree("state"u8);
        foreach (string name in trees) _trees[name] = pages.Tree(Encoding.UTF8.GetBytes(name));
        if (_state.TryGet("applied"u8, out ReadOnlySpan<byte> applied))
            (Position, Extra) = (BinaryPrimitives.ReadInt64LittleEndian(applied), BinaryPrimitives.ReadInt64LittleEndian(applied[8..]));
    }

    /// <summary>The trees have all changes of the log up to here.</summary>
    public long Position { get; private set; }

    /// <summary>A number of the owner's that belongs to the position.</summary>
    public long Extra { get; private set; }

    /// <summary>Why the file was made anew when it was opened; null where it was not.</summary>
    public string? Renewed { get; private init; }

    public SortedTree this[string name] => _trees[name];

    /// <summary>Opens the file, or makes it where there is none that can be used.</summary>
    /// <param name="path">The file.</param>
    /// <param name="stamp">Tells what is kept in it; a file with another stamp is made anew.</param>
    /// <param name="end">The end of the log; the file of another log may be ahead of it.</param>
    /// <param name="trees">The names of its trees.</param>
    /// <exception cref="IOException">The file is in use, or cannot be made.</exception>
    public static IndexFile Open(string path, string stamp, long end, params string[] trees)
    {
        string? why = null;
        if (File.Exists(path))
        {
            MappedPages? pages = null;
            try
            {
                pages = MappedPages.Open(path);
                IndexFile there = new(pages, trees);
                if (!there.Has("stamp"u8, stamp)) why = "it was made for another definition";
                else if (!pages.WasClosedCleanly && !there.Has("life"u8, Life(path))) why = "the machine stopped while it was changed";
                else if (there.Position > end) why = "it is of another log";
                if (why is null) return there.Begin(path, stamp);
            }
            catch (PageDamagedException e)
            {
                why = e.Message;
            }
            pages?.Dispose();
            File.Delete(path);
        }
        return new IndexFile(MappedPages.Create(path, PageSize), trees) { Renewed = why }.Begin(path, stamp);
    }

    /// <summary>Notes that the trees have all changes up to the position.</summary>
    public void Applied(long position, long extra)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, position);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[8..], extra);
        _state.Set("applied"u8, bytes);
        (Position, Extra) = (position, extra);
    }

    /// <summary>Brings all to the disk.</summary>
    public void Checkpoint() => _pages.Checkpoint((ulong)Position);

    /// <summary>Throws where a tree is damaged.</summary>
    public void Verify()
    {
        _state.Verify();
        foreach (SortedTree tree in _trees.Values) tree.Verify();
    }

    public void Dispose() => _pages.Dispose();

    private IndexFile Begin(string path, string stamp)
    {
        if (!Has("stamp"u8, stamp)) _state.Set("stamp"u8, Encoding.UTF8.GetBytes(stamp));
        if (!Has("life"u8, Life(path))) _state.Set("life"u8, Encoding.UTF8.GetBytes(Life(path)));
        return this;
    }

    private bool Has(ReadOnlySpan<byte> key, string value) =>
        _state.TryGet(key, out ReadOnlySpan<byte> there) && there.SequenceEqual(Encoding.UTF8.GetBytes(value));

    /// <summary>The start of the machine, and the birth of the file: a copy of a file in use must not pass for the file.</summary>
    private static string Life(string path) =>
        File.ReadAllText("/proc/sys/kernel/random/boot_id").Trim() + " " + File.GetCreationTimeUtc(path).Ticks;
}
