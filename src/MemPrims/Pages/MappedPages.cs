using System.IO.MemoryMappedFiles;

namespace MemPrims.Pages;

/// <summary>
/// Pages in a mapped file. Changes reach the file when the system writes them, or by <see cref="Flush"/>; nothing is promised of a file
/// whose process or machine died in the middle of a change: such an index is built again. The file has one user at a time. Pages stay
/// where they are until the store is disposed of. Pages that a tree gives back are used again, but the file never becomes shorter: to
/// shrink it, build a new one by <see cref="SortedTree.CopyFrom"/>.
/// </summary>
public sealed unsafe class MappedPages : IPageStore, IDisposable
{
    // The file is mapped piece by piece, so that pages never move; it grows by steps of real blocks, so that a full disk is an exception
    // and no fault.
    private const int PieceBytes = 16 << 20, GrowthBytes = 1 << 20;

    private readonly FileStream _file;
    private readonly int _perPieceBits;
    private readonly List<(MemoryMappedFile File, MemoryMappedViewAccessor View)> _maps = [];
    private byte*[] _pieces = [];
    private long _written;

    private MappedPages(FileStream file, int pageSize)
    {
        _file = file;
        PageSize = pageSize;
        _perPieceBits = System.Numerics.BitOperations.Log2((uint)(PieceBytes / pageSize));
    }

    /// <inheritdoc/>
    public int PageSize { get; }

    /// <inheritdoc/>
    public uint PageCount => _pieces.Length == 0 ? 1 : Header->PageCount;

    /// <inheritdoc/>
    public uint Root
    {
        get => Mapped()->Root;
        set => Mapped()->Root = value;
    }

    /// <summary>Makes a file of pages; one that is there is replaced.</summary>
    /// <param name="path">The file.</param>
    /// <param name="pageSize">The bytes of a page, a multiple of 64 from 512 to 65,536; 8,192 unless told.</param>
    /// <exception cref="ArgumentException">No page has that size.</exception>
    /// <exception cref="IOException">The file cannot be made, or is in use.</exception>
    public static MappedPages Create(string path, int pageSize = 8192)
    {
        PageLayout.CheckSize(pageSize);
        return Start(new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None, 0), pageSize, pages =>
        {
            pages.Extend(1);
            *pages.Header = new() { Magic = MappedPagesHeader.FileMagic, PageSize = (uint)pageSize, PageCount = 1 };
        });
    }

    /// <summary>
    /// Opens a file of pages. Its header and its list of free pages are proved; the pages are proved by the tree that uses them.
    /// </summary>
    /// <exception cref="PageDamagedException">The file is no file of pages, or it is damaged.</exception>
    /// <exception cref="IOException">The file cannot be opened, or is in use.</exception>
    public static MappedPages Open(string path)
    {
        FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None, 0);
        MappedPagesHeader header = default;
        Span<byte> bytes = new(&header, MappedPagesHeader.Bytes);
        try
        {
            if (RandomAccess.Read(file.SafeFileHandle, bytes, 0) < bytes.Length) throw Damaged("The file is shorter than its header", 0);
            if (header.Magic != MappedPagesHeader.FileMagic) throw Damaged("The file does not start as one of pages", 0);
            if (header.PageSize < PageLayout.SmallestPage || header.PageSize > PageLayout.LargestPage
                || header.PageSize % PageLayout.PageMultiple != 0)
                throw Damaged($"No page has {header.PageSize} bytes", 4);
            if (header.PageCount == 0 || (long)header.PageCount * header.PageSize > file.Length)
                throw Damaged($"{header.PageCount} pages of {header.PageSize} bytes are more than the {file.Length} bytes of the file", 8);
            if (header.Root >= header.PageCount) throw Damaged($"The root is page {header.Root}, of {header.PageCount}", 12);
            return Start(file, (int)header.PageSize, pages =>
            {
                // What lies behind the pages may be a hole, after a crash: it is written again before it is given out.
                pages._written = (long)pages.PageCount * pages.PageSize;
                pages.CheckFree();
            });
        }
        catch
        {
            file.Dispose();
            throw;
        }

        PageDamagedException Damaged(string what, int offset) => new($"{path}: {what}", 0, offset);
    }

    /// <inheritdoc/>
    /// <exception cref="IOException">The disk is full, or the file may not become longer. Nothing has changed.</exception>
    public uint Allocate()
    {
        MappedPagesHeader* header = Mapped();
        uint page = header->FirstFree;
        if (page == 0)
        {
            page = header->PageCount;
            if (page == uint.MaxValue) throw new IOException("The file has given out all of its 4,294,967,294 page numbers.");
            Extend(page + 1);
            Header->PageCount = page + 1;
            return page;
        }
        FreePageHeader* free = FreePage(page);
        header->FirstFree = free->Next;
        header->FreeCount--;
        free->Magic = 0;
        return page;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">The page is not given out.</exception>
    public void Free(uint page)
    {
        MappedPagesHeader* header = Mapped();
        FreePageHeader* free = (FreePageHeader*)Page(page);
        if (free == null) PageErrors.NotGivenOut(page, header->PageCount);
        if (free->Magic == FreePageHeader.FreeMagic) PageErrors.FreeAlready(page);
        *free = new() { Magic = FreePageHeader.FreeMagic, Next = header->FirstFree };
        header->FirstFree = page;
        header->FreeCount++;
    }

    /// <inheritdoc/>
    public byte* Page(uint page)
    {
        if (page - 1 >= PageCount - 1) return null;
        return _pieces[page >> _perPieceBits] + (nint)(page & ((1u << _perPieceBits) - 1)) * PageSize;
    }

    /// <summary>Waits until all changes are on the disk.</summary>
    public void Flush()
    {
        Mapped();
        foreach ((_, MemoryMappedViewAccessor view) in _maps) view.Flush();
        _file.Flush(flushToDisk: true);
    }

    /// <summary>Unmaps and closes the file, and cuts off what has no page yet. Spans of its pages must not be used after that.</summary>
    public void Dispose()
    {
        if (_pieces.Length == 0) return;
        long length = (long)Header->PageCount * PageSize;
        Unmap();
        _file.SetLength(length);
        _file.Dispose();
    }

    private MappedPagesHeader* Header => (MappedPagesHeader*)_pieces[0];

    private static MappedPages Start(FileStream file, int pageSize, Action<MappedPages> begin)
    {
        MappedPages pages = new(file, pageSize) { _written = file.Length };
        try
        {
            pages.MapPieces((uint)((file.Length + pageSize - 1) / pageSize));
            begin(pages);
            return pages;
        }
        catch
        {
            pages.Unmap();
            file.Dispose();
            throw;
        }
    }

    private MappedPagesHeader* Mapped()
    {
        ObjectDisposedException.ThrowIf(_pieces.Length == 0, this);
        return Header;
    }

    /// <summary>Gives the file blocks for so many pages, by writing zeros: what is only mapped would fault on a full disk.</summary>
    private void Extend(uint pages)
    {
        long end = (long)pages * PageSize;
        try
        {
            byte[] zeros = _written < end ? new byte[Math.Max(GrowthBytes, PageSize)] : [];
            while (_written < end)
            {
                RandomAccess.Write(_file.SafeFileHandle, zeros, _written);
                _written += zeros.Length;
            }
            MapPieces(pages);
        }
        catch (ArgumentOutOfRangeException e)
        {
            // So .NET names the system's error that a file would become too long.
            throw new IOException(
                $"{_file.Name}: it may not grow beyond {_file.Length} bytes. Its file system or a limit of the process forbids it.", e);
        }
    }

    private void MapPieces(uint pages)
    {
        long pieceBytes = (long)PageSize << _perPieceBits;
        while ((long)_pieces.Length << _perPieceBits < pages)
        {
            long offset = _pieces.Length * pieceBytes;
            MemoryMappedFile map = MemoryMappedFile.CreateFromFile(
                _file, null, Math.Max(_file.Length, offset + pieceBytes), MemoryMappedFileAccess.ReadWrite, HandleInheritability.None,
                leaveOpen: true);
            MemoryMappedViewAccessor view = map.CreateViewAccessor(offset, pieceBytes, MemoryMappedFileAccess.ReadWrite);
            byte* start = null;
            view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
            _maps.Add((map, view));
            byte*[] pieces = new byte*[_pieces.Length + 1];
            for (int i = 0; i < _pieces.Length; i++) pieces[i] = _pieces[i];
            pieces[^1] = start + view.PointerOffset;
            _pieces = pieces;
        }
    }

    private void Unmap()
    {
        _pieces = [];
        foreach ((MemoryMappedFile map, MemoryMappedViewAccessor view) in _maps)
        {
            view.SafeMemoryMappedViewHandle.ReleasePointer();
            view.Dispose();
            map.Dispose();
        }
        _maps.Clear();
    }

    private FreePageHeader* FreePage(uint page)
    {
        FreePageHeader* free = (FreePageHeader*)Page(page);
        if (free == null || free->Magic != FreePageHeader.FreeMagic)
            throw new PageDamagedException("The list of free pages leads to a page that is not free", page, 0);
        return free;
    }

    private void CheckFree()
    {
        HashSet<uint> seen = [];
        for (uint page = Header->FirstFree; page != 0; page = FreePage(page)->Next)
            if (!seen.Add(page)) throw new PageDamagedException("The list of free pages is a circle", page, 4);
        if (seen.Count != Header->FreeCount)
            throw new PageDamagedException($"The list of free pages has {seen.Count}, and the header says {Header->FreeCount}", 0, 20);
    }
}
