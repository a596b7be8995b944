using System.Buffers.Binary;
using System.Text;
using MemPrims.Pages;

namespace DocumentStore.Index;

/// <summary>
/// A file of trees that are made of the log, and the place in the log up to which they are. Threads: as a SortedTree.
/// </summary>
/// <remarks>
/// After a crash the trees are used as they are where the system still has all that was stored in them; else the file is made anew from
/// the log: MappedPages tells. What was applied after the noted place is applied again. That is harmless: a document's last change decides
/// what is in the trees.
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
        byte[] mark = Encoding.UTF8.GetBytes(stamp);
        string? why = null;
        if (File.Exists(path))
        {
            MappedPages? pages = null;
            try
            {
                pages = MappedPages.Open(path);
                why = "the machine stopped while it was changed";
                if (pages.IsIntact)
                {
                    IndexFile there = new(pages, trees);
                    if (!there._state.TryGet("stamp"u8, out ReadOnlySpan<byte> found) || !found.SequenceEqual(mark))
                        why = "it was made for another definition";
                    else if (there.Position > end) why = "it is of another log";
                    else return there;
                }
            }
            catch (PageDamagedException e)
            {
                why = e.Message;
            }
            pages?.Dispose();
        }
        IndexFile made = new(MappedPages.Create(path, PageSize), trees) { Renewed = why };
        made._state.Set("stamp"u8, mark);
        return made;
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
}
