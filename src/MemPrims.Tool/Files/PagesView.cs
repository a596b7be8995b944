using MemPrims.Pages;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Tool.Files;

/// <summary>The first 64 bytes of a file of pages, as LAYOUT.md has them.</summary>
internal unsafe struct PagesHeader
{
    public const int Bytes = 64;
    public const uint FreePageMagic = 0x3178504D; // "MPx1"

    public uint Magic, PageSize, Pages, Root, FirstFree, Free, Directory, Mark;
    public ulong Checkpoint;
    public FileLife Life;
    public fixed byte Zero[8];

    /// <summary>Whether the header says that all pages were in the file.</summary>
    public readonly bool IsClean
    {
        get
        {
            PagesHeader unmarked = this with { Mark = 0 };
            return Mark != 0 && Mark == Math.Max(1, Checksum.Crc32C(new ReadOnlySpan<byte>(&unmarked, Bytes)));
        }
    }
}

/// <summary>A file of pages as it lies, for trees that are read. Nothing can be changed through it.</summary>
internal sealed unsafe class PagesView : IDisposable
{
    private readonly MappedBytes _bytes;
    private readonly string _path;

    public PagesView(string path)
    {
        _path = path;
        _bytes = new(path);
        try
        {
            if (_bytes.Length < PagesHeader.Bytes) throw Damaged("The file is shorter than its header", 0);
            Header = *(PagesHeader*)_bytes.Start;
            if (Header.PageSize is < 512 or > 65536 || Header.PageSize % 64 != 0) throw Damaged($"No page has {Header.PageSize} bytes", 4);
            if (Header.Pages == 0 || (long)Header.Pages * Header.PageSize > _bytes.Length)
                throw Damaged($"{Header.Pages} pages of {Header.PageSize} bytes are more than the {_bytes.Length} bytes of the file", 8);
            if (Header.Root >= Header.Pages) throw Damaged($"The root is page {Header.Root}, of {Header.Pages}", 12);
            if (Header.Directory >= Header.Pages) throw Damaged($"The directory is page {Header.Directory}, of {Header.Pages}", 24);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public PagesHeader Header { get; }

    /// <summary>
    /// Whether the system still has all that was written: it runs since then, and this is the same file. MappedPages.Open asks, too,
    /// whether the disk has failed since. That is told once, to the first who asks, so it is not asked here.
    /// </summary>
    public bool IsIntact
    {
        get
        {
            if (Header.IsClean) return true;
            if (Header.Mark != 0 || Header.Life == default) return false;
            using SafeFileHandle file = File.OpenHandle(_path);
            return Header.Life == FileLife.Of(file);
        }
    }

    public int PageSize => (int)Header.PageSize;

    public uint PageCount => Header.Pages;

    /// <summary>A page; null for a number that there is not.</summary>
    public byte* Page(uint page) => page - 1 < PageCount - 1 ? _bytes.Start + (nint)page * PageSize : null;

    /// <summary>
    /// The trees of the file: the one without a name, then those of the directory. Empty ones have the root 0.
    /// </summary>
    public IEnumerable<(byte[]? Name, uint Root)> Trees(bool withEmpty = false)
    {
        if (Header.Root != 0) yield return (null, Header.Root);
        if (Header.Directory == 0) yield break;
        foreach ((byte[] name, uint root) in Named())
            if (root != 0 || withEmpty) yield return (name, root);
    }

    public SortedTree TreeAt(uint root) => new(new Store(this, root));

    /// <summary>Follows the list of free pages to its end.</summary>
    public void CheckFreePages()
    {
        uint left = Header.Free;
        for (uint page = Header.FirstFree; page != 0 || left != 0; left--)
        {
            uint* free = (uint*)Page(page);
            if (free == null || left == 0 || *free != PagesHeader.FreePageMagic)
                throw Damaged($"The list of {Header.Free} free pages is broken at page {page}", (long)page * PageSize);
            page = free[1];
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

    /// <summary>One tree of the file. What would change it is refused.</summary>
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
