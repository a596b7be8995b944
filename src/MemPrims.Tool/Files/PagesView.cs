using MemPrims.Pages;

namespace MemPrims.Tool.Files;

// A file of pages as it lies, for trees that are read. Nothing can be changed through it.
internal sealed unsafe class PagesView : IDisposable
{
    private readonly MappedBytes _bytes;
    private readonly string _path;
    private readonly HashSet<uint> _read = [];

    public PagesView(string path)
    {
        _path = path;
        _bytes = new(path);
        try
        {
            using FileStream file = FileKinds.Read(path);
            Header = MappedPagesHeader.Read(file, path);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public MappedPagesHeader Header { get; }

    public bool IsClean => Header.Mark == Header.MarkOfAll();

    // Whether the system still has all that was written: it runs since then, and this is the same file. MappedPages.Open asks, too,
    // whether the disk has failed since. That is told once, to the first who asks, so it is not asked here.
    public bool IsIntact
    {
        get
        {
            if (IsClean) return true;
            if (Header.Mark != 0 || Header.Life == default) return false;
            using SafeFileHandle file = File.OpenHandle(_path);
            return Header.Life == FileLife.Of(file);
        }
    }

    public int PageSize => (int)Header.PageSize;

    public uint PageCount => Header.PageCount;

    // A page; null for a number that there is not. Throws where the disk cannot read it.
    public byte* Page(uint page)
    {
        if (page - 1 >= PageCount - 1) return null;
        if (_read.Add(page)) _bytes.Require((long)page * PageSize, PageSize);
        return _bytes.Start + (nint)page * PageSize;
    }

    // The trees of the file: the one without a name, then those of the directory. Empty ones have the root 0.
    public IEnumerable<(byte[]? Name, uint Root)> Trees(bool withEmpty = false)
    {
        if (Header.Root != 0) yield return (null, Header.Root);
        if (Header.Directory == 0) yield break;
        foreach ((byte[] name, uint root) in Named())
            if (root != 0 || withEmpty) yield return (name, root);
    }

    public SortedTree TreeAt(uint root) => new(new Store(this, root));

    public void CheckFreePages()
    {
        uint left = Header.FreeCount;
        for (uint page = Header.FirstFree; page != 0 || left != 0; left--)
        {
            FreePageHeader* free = (FreePageHeader*)Page(page);
            if (free == null || left == 0 || free->Magic != FreePageHeader.FreeMagic)
                throw Damaged($"The list of {Header.FreeCount} free pages is broken at page {page}", (long)page * PageSize);
            page = free->Next;
        }
    }

    public void Dispose() => _bytes.Dispose();

    private List<(byte[] Name, uint Root)> Named()
    {
        List<(byte[], uint)> trees = [];
        SortedCursor cursor = TreeAt(Header.Directory).Scan();
        while (cursor.Next())
        {
            if (cursor.Value.Length != sizeof(uint)) throw Damaged("The directory has a tree without a root", Header.Directory);
            trees.Add((cursor.Key.ToArray(), BitConverter.ToUInt32(cursor.Value)));
        }
        return trees;
    }

    private DamagedDataException Damaged(string what, long offset) => new($"{_path}: {what}. Restore the file, or salvage it.", offset);

    // One tree of the file. What would change it is refused.
    private sealed class Store(PagesView pages, uint root) : IPageStore
    {
        public int PageSize => pages.PageSize;

        public uint PageCount => pages.PageCount;

        public uint Root
        {
            get => root;
            set => throw ReadOnly();
        }

        public byte* Page(uint page) => pages.Page(page);

        public uint Allocate() => throw ReadOnly();

        public void Free(uint page) => throw ReadOnly();

        private static NotSupportedException ReadOnly() => new("The file is only read.");
    }
}
