using System.IO.MemoryMappedFiles;

namespace MemPrims.Pages;

/// <summary>
/// Pages in a mapped file: one tree at <see cref="Root"/>, or several by <see cref="Tree"/>. Threads: any number of readers, or one
/// writer. No call may run beside <see cref="Dispose"/>, and no span outlives it. The file has one user at a time. Pages stay where they
/// are until then.
/// </summary>
/// <remarks>
/// <para>
/// Changes reach the file when the system writes them, or by <see cref="Flush"/>. The trees in it are indexes that can be built again, and
/// <see cref="IsIntact"/> tells after <see cref="Open"/> whether they must be: where it is false, the machine stopped after a change, and
/// any of the changes may be missing in the file. Where only the process died, the system still has them. <see cref="Checkpoint"/> brings
/// all changes to the disk, with a number of the caller's, such as a place in a log: what came before it is in the file. See LAYOUT.md for
/// the order of writes and syncs.
/// </para>
/// <para>
/// Pages that a tree gives back are used again, but the file never becomes shorter: to shrink it, build a new one by
/// <see cref="SortedTree.CopyFrom"/>.
/// </para>
/// </remarks>
public sealed unsafe partial class MappedPages : IPageStore, IDisposable
{
    // The table has an address for each piece of the file. What is mapped at once is a row of pieces, and longer the longer the file is:
    // the system limits the number of maps of a process. The file grows by steps of real blocks, so that a full disk is an exception and
    // no fault.
    private const int PieceBytes = 16 << 20, GrowthBytes = 1 << 20;

    private const string AfterSync = "Look at the disk, then build its trees again, in a new file.";

    private readonly FileStream _file;
    private readonly string _path;
    private readonly int _perPieceBits;
    private readonly List<(MemoryMappedFile File, MemoryMappedViewAccessor View)> _maps = [];
    private readonly List<(byte[] Name, SortedTree Tree)> _trees = [];
    private SortedTree? _directory;
    private nint[] _pieces = [];
    private int _pieceCount;
    private long _written;
    private FileLife? _life;

    // Whether the header says that all is in the file; whether the system has failed to sync, after which nobody knows what the disk has.
    private bool _isMarked, _syncFailed;

    private MappedPages(FileStream file, string path, int pageSize)
    {
        (_file, _path) = (file, path);
        PageSize = pageSize;
        _perPieceBits = BitOperations.Log2((uint)(PieceBytes / pageSize));
    }

    /// <inheritdoc/>
    public int PageSize { get; }

    /// <inheritdoc/>
    public uint PageCount { get; private set; } = 1;

    /// <inheritdoc/>
    public uint Root
    {
        get => Mapped()->Root;
        set
        {
            BeginChange();
            Volatile.Write(ref Mapped()->Root, value);
        }
    }

    /// <summary>
    /// Whether all changes were in the file when it was opened: after a <see cref="Checkpoint"/> or <see cref="Dispose"/> nothing was
    /// changed. True for a new file.
    /// </summary>
    public bool WasClosedCleanly { get; private init; }

    /// <summary>
    /// Whether the trees can be used: the file was closed cleanly, or only the process has died since, and the system still has all
    /// changes. Where it is false, build the trees again, in a new file. True for a new file. See the remarks.
    /// </summary>
    /// <remarks>
    /// <para>
    /// After the death of a process, a tree in the middle of a change is told by <see cref="Tree"/>, or by the constructor of
    /// <see cref="SortedTree"/>: a <see cref="PageDamagedException"/>. The other trees are sound. Each has its changes up to that moment,
    /// the last ones too, so note in the file how far they are: in a tree, by the change after those that it tells of. A build that was
    /// not finished leaves a file that is not intact.
    /// </para>
    /// <para>
    /// It is known on Linux, on file systems that note when a file was made. A copy of a file that was in use is never intact. A disk that
    /// was taken out of a running system while the file was in use must not be used again without building the trees again.
    /// </para>
    /// </remarks>
    public bool IsIntact { get; private init; }

    /// <summary>
    /// Why <see cref="OpenOrCreate"/> made this file in the place of one that was there: its trees are to be built again. Null where
    /// there was none, and where it was opened.
    /// </summary>
    public PageDamagedException? Replaced { get; private init; }

    /// <summary>
    /// The number of the last <see cref="Checkpoint"/>: all that came before it is in the file. Later changes may be too. 0 where there
    /// was none, and where the file is not intact.
    /// </summary>
    public long LastCheckpoint { get; private set; }

    internal StoreUse Use { get; } = new();

    // Called after each sync, for tests: with true where it was of all pages, with false where only of the header.
    internal Action<bool>? Synced { get; set; }

    /// <summary>
    /// One of several trees in the file, by its name. It is made where there is none of that name: that is a change of the file. The tree
    /// at <see cref="Root"/> is another one.
    /// </summary>
    /// <param name="name">Any bytes; the longest name is that of the longest key of a tree.</param>
    /// <returns>The same object for the same name.</returns>
    /// <exception cref="ArgumentException">The name is too long.</exception>
    /// <exception cref="PageDamagedException">The list of trees is damaged, or the tree is, or its last change was not
    /// finished.</exception>
    /// <exception cref="IOException">A new name does not fit the file, whose disk is full.</exception>
    public SortedTree Tree(ReadOnlySpan<byte> name)
    {
        Mapped();
        int most = PageLayout.MaxEntry(PageSize) - TreeOverflow.ReferenceBytes;
        if (name.Length > most)
            throw new ArgumentException(
                $"The name has {name.Length} bytes; in a file with pages of {PageSize} a tree's name has at most {most}.", nameof(name));
        foreach ((byte[] known, SortedTree there) in _trees)
            if (name.SequenceEqual(known)) return there;
        // The entry is there before the tree is: to note its root later is a change in place, which needs no page.
        if (!Trees.TryGet(name, out _)) Trees.Set(name, new byte[sizeof(uint)]);
        byte[] copy = name.ToArray();
        SortedTree tree = new(new TreePages(this, (() => RootOf(copy), root => SetRootOf(copy, root))));
        _trees.Add((copy, tree));
        return tree;
    }

    /// <summary>The names of the trees in the file, in the order of their bytes. The tree at <see cref="Root"/> has none.</summary>
    public IReadOnlyList<byte[]> Names
    {
        get
        {
            List<byte[]> names = [];
            SortedCursor cursor = Trees.Scan();
            while (cursor.Next()) names.Add(cursor.Key.ToArray());
            return names;
        }
    }

    /// <summary>
    /// Removes a tree with its name, and gives its pages back. Its objects and cursors then throw; <see cref="Tree"/> makes a new one.
    /// </summary>
    /// <returns>Whether there was one of that name.</returns>
    /// <exception cref="PageDamagedException">The tree is damaged. It is still there.</exception>
    public bool Drop(ReadOnlySpan<byte> name)
    {
        if (!Trees.TryGet(name, out _)) return false;
        SortedTree tree = Tree(name);
        tree.Drop();
        _trees.RemoveAll(named => named.Tree == tree);
        return Trees.Remove(name);
    }

    /// <inheritdoc/>
    /// <exception cref="IOException">The disk is full, or the file may not become longer. Nothing has changed.</exception>
    public uint Allocate()
    {
        MappedPagesHeader* header = Mapped();
        BeginChange();
        uint page = header->FirstFree;
        if (page == 0)
        {
            page = PageCount;
            if (page == uint.MaxValue)
                throw new IOException($"{_path} has given out all of its 4,294,967,294 page numbers: use larger pages, in a new file.");
            Extend(page + 1);
            PageCount = Header->PageCount = page + 1;
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
        if (free == null) PageErrors.ThrowNotGivenOut(page, PageCount);
        if (free->Magic == FreePageHeader.FreeMagic) PageErrors.ThrowFreeAlready(page);
        BeginChange();
        *free = new() { Magic = FreePageHeader.FreeMagic, Next = header->FirstFree };
        header->FirstFree = page;
        header->FreeCount++;
    }

    /// <inheritdoc/>
    public byte* Page(uint page)
    {
        nint[] pieces = _pieces;
        uint piece = page >> _perPieceBits;
        if (page - 1 >= PageCount - 1 || piece >= (uint)pieces.Length) return null;
        return (byte*)pieces[piece] + (nint)(page & ((1u << _perPieceBits) - 1)) * PageSize;
    }

    /// <summary>
    /// Notes that pages change from here on. Trees call it before each change; so does who writes to pages without a tree. The first call
    /// after a checkpoint waits for one sync of the header.
    /// </summary>
    /// <exception cref="IOException">The system could not write the header; nothing was changed.</exception>
    public void BeginChange()
    {
        if (!_isMarked) return;
        Mapped()->Mark = 0;
        _isMarked = false;
        NoteLife();
        try
        {
            Sync(all: false);
        }
        catch
        {
            _isMarked = true;
            throw;
        }
    }

    /// <summary>
    /// Waits until all changes are on the disk. Readers may run beside it, but no change of the file and no <see cref="Dispose"/>.
    /// </summary>
    /// <exception cref="IOException">The system could not write them.</exception>
    public void Flush() => Sync(all: true);

    /// <summary>
    /// Waits until all changes are on the disk, and then notes the number there, for <see cref="LastCheckpoint"/> after the next
    /// <see cref="Open"/>.
    /// </summary>
    /// <param name="number">What the caller has brought into the trees, such as the place in a log up to which it has read.</param>
    /// <remarks>
    /// It also says that the trees are sound. After an open that was not clean, that is the caller's word: verify the trees, or build them
    /// again. So it is after a <see cref="SortedTree.BuildFrom"/> that failed: without a checkpoint the file then counts as not closed
    /// cleanly.
    /// </remarks>
    /// <exception cref="IOException">The system could not write the changes, now or earlier: what is on the disk is unknown.</exception>
    /// <exception cref="InvalidOperationException">Another thread changes a tree, or two threads have done so at once before.</exception>
    public void Checkpoint(long number)
    {
        Mapped();
        Use.Enter();
        try
        {
            BeginChange();
            Flush();
            Mapped()->Checkpoint = (ulong)number;
            Mark();
            LastCheckpoint = number;
        }
        finally
        {
            Use.Leave();
        }
    }

    /// <summary>
    /// Brings all changes to the disk, notes there that the file is closed, unmaps it and cuts off what has no page yet. Where the disk
    /// fails, the file stays one that was not closed cleanly.
    /// </summary>
    /// <remarks>
    /// No call may run beside it, and no span may be used after it: the memory is unmapped, and a read of it ends the process. For the
    /// file's sake it waits for a change that another thread has begun all the same. Reads are not counted, since that would cost each of
    /// them. Calls that begin afterwards throw an <see cref="ObjectDisposedException"/>.
    /// </remarks>
    public void Dispose()
    {
        if (_pieces.Length == 0 || !Use.Close()) return;
        try
        {
            if (Use is { IsWhole: true, IsBroken: false } && !_isMarked)
            {
                Flush();
                Mark();
            }
        }
        catch (IOException)
        {
            // The next Open tells.
        }
        long length = (long)PageCount * PageSize;
        Unmap();
        _file.SetLength(length);
        _file.Dispose();
    }

    // All pages are on the disk. A mark that is not true must not get there: where the system fails to write it, it is taken back.
    private void Mark()
    {
        if (Use.IsBroken)
            throw new InvalidOperationException(
                $"{_path}: two threads have changed its trees at once, so it gets no mark. Build them again, in a new file.");
        if (_syncFailed)
            throw new IOException($"{_path}: an earlier sync has failed, so nobody knows what is on the disk. {AfterSync}");
        Header->PageCount = PageCount;
        Header->Mark = Header->MarkOfAll();
        try
        {
            Sync(all: false);
        }
        catch (IOException)
        {
            Header->Mark = 0;
            throw;
        }
        (_isMarked, Use.IsWhole) = (true, true);
    }

    // While the file has no mark, it tells whose stores its pages are. The mark is also over this, so it must not change under one.
    private void NoteLife()
    {
        if (_pieces.Length > 0 && !_isMarked) Header->Life = Use.IsWhole ? _life ??= FileLife.Of(_file.SafeFileHandle) : default;
    }

    // Of all pages, or of the header alone.
    private void Sync(bool all)
    {
        Mapped();
        try
        {
            // The header has a map of its own: to flush that of a long file would look at all of its pages.
            for (int i = 0; i < (all ? _maps.Count : 1); i++) _maps[i].View.Flush();
            _file.Flush(flushToDisk: true);
        }
        catch (IOException e)
        {
            (_syncFailed, Use.IsWhole) = (true, false);
            // The runtime names no file, or the name that it was made under.
            string told = $"{_path}: the system cannot write it to the disk ({e.Message}). {AfterSync}";
            throw new IOException(told, e) { HResult = e.HResult };
        }
        Synced?.Invoke(all);
    }

    internal uint RootOf(byte[] name)
    {
        if (!Trees.TryGet(name, out ReadOnlySpan<byte> root)) throw HasNoName(name);
        return root.Length == sizeof(uint) ? MemoryMarshal.Read<uint>(root)
            : throw new PageDamagedException("The entry of a tree in the directory has no root", Header->Directory);
    }

    // A tree leaves the list of its objects before its name goes. Another one may have the name by now, in an array of its own.
    private Exception HasNoName(byte[] name)
    {
        foreach ((byte[] known, _) in CollectionsMarshal.AsSpan(_trees))
            if (known == name)
                return new PageDamagedException("The directory of trees no longer has the name of this one", Header->Directory);
        return new InvalidOperationException("The tree was dropped. Get a new one of its name by Tree.");
    }

    internal void SetRootOf(ReadOnlySpan<byte> name, uint root) =>
        Trees.Set(name, MemoryMarshal.AsBytes(new ReadOnlySpan<uint>(in root)));

    internal ReadOnlySpan<byte> HeaderPage => new(Mapped(), PageSize);

    private SortedTree Trees => _directory ??= new(new TreePages(this, (() => Mapped()->Directory, SetDirectory)));

    private void SetDirectory(uint root)
    {
        BeginChange();
        Mapped()->Directory = root;
    }

    private MappedPagesHeader* Header => (MappedPagesHeader*)_pieces[0];

    private MappedPagesHeader* Mapped()
    {
        ObjectDisposedException.ThrowIf(_pieces.Length == 0, this);
        return Header;
    }

    // Gives the file blocks for so many pages, by writing zeros: what is only mapped would fault on a full disk.
    private void Extend(uint pages)
    {
        const int noSpace = 28, overQuota = 122, overQuotaOnMac = 69, noSpaceOnWindows = unchecked((int)0x80070070);
        long end = (long)pages * PageSize;
        try
        {
            byte[] zeros = _written < end ? new byte[Math.Max(GrowthBytes, PageSize)] : [];
            while (_written < end)
            {
                PagesFile.RequireMayHave(_path, _written + zeros.Length);
                RandomAccess.Write(_file.SafeFileHandle, zeros, _written);
                _written += zeros.Length;
            }
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw TooLong(e);
        }
        catch (IOException e) when (e.HResult is noSpace or overQuota or overQuotaOnMac or noSpaceOnWindows)
        {
            // The runtime names the file by the name that it was made under.
            throw new IOException($"{_path}: it cannot grow beyond {_written} bytes: no space is left on its disk, or "
                + "its user's quota is used up. Make room, then try again.", e.HResult);
        }
        MapPieces(pages);
    }

    private void MapPieces(uint pages)
    {
        long perPiece = 1L << _perPieceBits, mapped = _pieceCount, needed = ((long)pages + perPiece - 1) / perPiece;
        if (needed <= mapped) return;
        // A quarter more than there is: a file of 1 TiB has some fifty maps. Where that is refused, as little as is needed.
        long more = Math.Max(needed, mapped + mapped / 4);
        long pieceBytes = perPiece * PageSize;
        byte* start;
        try
        {
            start = Map(mapped * pieceBytes, (more - mapped) * pieceBytes);
        }
        catch (IOException) when (more > needed)
        {
            more = needed;
            start = Map(mapped * pieceBytes, (more - mapped) * pieceBytes);
        }
        if (more > _pieces.Length) Array.Resize(ref _pieces, (int)Math.Max(more, 2 * _pieces.Length));
        for (long piece = mapped; piece < more; piece++) _pieces[piece] = (nint)start + (nint)((piece - mapped) * pieceBytes);
        _pieceCount = (int)more;
    }

    private byte* Map(long offset, long bytes)
    {
        MemoryMappedFile? map = null;
        MemoryMappedViewAccessor? view = null;
        long length = Math.Max(_file.Length, offset + bytes);
        if (length > _file.Length) PagesFile.RequireMayHave(_path, length);
        try
        {
            map = MemoryMappedFile.CreateFromFile(_file, null, length, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None,
                leaveOpen: true);
            view = map.CreateViewAccessor(offset, bytes, MemoryMappedFileAccess.ReadWrite);
            byte* start = null;
            view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
            _maps.Add((map, view));
            return start + view.PointerOffset;
        }
        catch (Exception e)
        {
            view?.Dispose();
            map?.Dispose();
            // So .NET names the system's errors that a file would become too long, and that there is no more room for maps.
            if (e is ArgumentOutOfRangeException) throw TooLong(e);
            if (e is OutOfMemoryException or UnauthorizedAccessException or IOException)
                throw new IOException($"{_path}: the system refuses to map {bytes} bytes of it from {offset} on: {e.Message}"
                    + (e is OutOfMemoryException ? " Close maps, or raise the limit (ulimit -v, or vm.max_map_count)." : ""), e);
            throw;
        }
    }

    private IOException TooLong(Exception e) =>
        new($"{_path}: it may not grow beyond {_file.Length} bytes. Its file system or a limit of the process forbids it.", e);

    private void Unmap()
    {
        PageCount = 1;
        _pieces = [];
        _pieceCount = 0;
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
        try
        {
            for (uint page = Header->FirstFree; page != 0; page = FreePage(page)->Next)
                if (!seen.Add(page)) throw new PageDamagedException("The list of free pages is a circle", page);
            if (seen.Count != Header->FreeCount)
                throw new PageDamagedException($"The list of free pages has {seen.Count}, and the header says {Header->FreeCount}", 0,
                    (int)((byte*)&Header->FreeCount - (byte*)Header));
        }
        catch (PageDamagedException) when (Header->Mark == 0)
        {
            // After a loss of power the list may be older than its pages. They are given out no more; the file is to be made anew anyway.
            (Header->FirstFree, Header->FreeCount) = (0, 0);
        }
    }
}
