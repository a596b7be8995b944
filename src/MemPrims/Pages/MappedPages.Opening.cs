namespace MemPrims.Pages;

// How a file is made and opened. Who decides by what is there holds its lock until the decision is done: two that saw no file, or the
// same damaged one, would else replace what the first of them has written.
public sealed unsafe partial class MappedPages
{
    /// <summary>
    /// Makes a file of pages; one that is there is replaced. A symbolic link stays, and the file at its end is replaced.
    /// </summary>
    /// <remarks>
    /// The file is made under a name of its own in the same folder, and renamed when its header is on the disk. A process that dies before
    /// leaves the path as it was, and perhaps the other file, whose name ends with .new.
    /// </remarks>
    /// <param name="path">The file.</param>
    /// <param name="pageSize">The bytes of a page, a multiple of 64 from 512 to 65,536; 8,192 unless told.</param>
    /// <exception cref="ArgumentException">No page has that size.</exception>
    /// <exception cref="IOException">The file cannot be made, or is in use; or the path names a folder, a pipe, a device, or a link to
    /// nothing.</exception>
    /// <exception cref="UnauthorizedAccessException">The file, or its folder, may not be written.</exception>
    public static MappedPages Create(string path, int pageSize = 8192) => OpenOrMake(path, pageSize, opens: false);

    /// <summary>
    /// Opens a file of pages. Its header and its list of free pages are proved; the pages are proved by the tree that uses them. In a
    /// file that was not closed cleanly a list of free pages that is not sound is forgotten.
    /// </summary>
    /// <exception cref="PageDamagedException">The file is no file of pages, or it is damaged. It was not changed.</exception>
    /// <exception cref="IOException">The file cannot be opened, or is in use.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be written.</exception>
    public static MappedPages Open(string path)
    {
        FileStream file = PagesFile.Lock(path);
        try
        {
            return OpenLocked(file, path);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Opens a file of trees that can be built again, or makes a new one in its place: where there is none, where it is not
    /// <see cref="IsIntact"/>, and where the header or a named tree is damaged. An empty <see cref="Names"/> says that it is new, and
    /// <see cref="Replaced"/> why one that was there was not opened.
    /// </summary>
    /// <param name="path">The file.</param>
    /// <param name="pageSize">The bytes of a page where a file is made; one that is there keeps its own.</param>
    /// <exception cref="PageDamagedException">What is there is no file of pages. It was not changed.</exception>
    /// <inheritdoc cref="Create"/>
    public static MappedPages OpenOrCreate(string path, int pageSize = 8192) => OpenOrMake(path, pageSize, opens: true);

    private static MappedPages OpenOrMake(string path, int pageSize, bool opens)
    {
        PageLayout.CheckSize(pageSize, nameof(pageSize));
        ArgumentException.ThrowIfNullOrEmpty(path);
        string target = PagesFile.Target(path);
        if (!Path.Exists(target) && Make(target, path, pageSize, replaced: null, why: null) is { } made) return made;
        FileStream file = PagesFile.Lock(target);
        MappedPages? pages = null;
        PageDamagedException? why = null;
        try
        {
            pages = opens ? OpenLocked(file, path) : null;
            if (pages is { IsIntact: true })
            {
                foreach (byte[] name in pages.Names) pages.Tree(name);
                return pages;
            }
            if (opens) why = new("The file was not closed, and the system that had its changes is gone, or it is a copy");
        }
        catch (PageDamagedException e) when (!e.IsOtherFile)
        {
            why = e;
        }
        catch
        {
            pages?.Dispose();
            file.Dispose();
            throw;
        }
        pages?.Unmap();
        // Locked until another file has its name: else one that was made meanwhile, and changed, would be replaced.
        using (file) return Make(target, path, pageSize, file, why)!;
    }

    private static MappedPages OpenLocked(FileStream file, string path)
    {
        MappedPagesHeader header = MappedPagesHeader.Read(file, path);
        bool isClean = header.Mark == header.MarkOfAll();
        bool isIntact = isClean || (header.Mark == 0 && header.Life.IsWhole(file.SafeFileHandle));
        MappedPages pages = new(file, path, (int)header.PageSize)
        {
            WasClosedCleanly = isClean, IsIntact = isIntact, LastCheckpoint = isIntact ? (long)header.Checkpoint : 0, _isMarked = isClean,
            PageCount = header.PageCount, Use = { IsWhole = isIntact },
        };
        long length = file.Length;
        try
        {
            pages.MapHeader();
            pages.MapPieces(header.PageCount);
            // What lies after the pages may be a hole, after a crash: it is written again before it is given out.
            pages._written = (long)pages.PageCount * pages.PageSize;
            pages.CheckFree();
            return pages;
        }
        catch
        {
            pages.Unmap();
            if (file.Length > length) file.SetLength(length);
            throw;
        }
    }

    // A new file in the place of another, which is locked, or where nothing is; null when something has come there. What is built in it
    // again is nobody's who could not read it before.
    private static MappedPages? Make(string target, string path, int pageSize, FileStream? replaced, PageDamagedException? why)
    {
        string beside = Path.Combine(Path.GetDirectoryName(target) ?? "", $"{Guid.NewGuid():N}.new");
        FileStream file = PagesFile.Make(beside, path, replaced is null ? null : SystemFile.Here.RightsOf(replaced.SafeFileHandle));
        MappedPages made = new(file, path, pageSize)
        {
            WasClosedCleanly = true, IsIntact = true, Replaced = why, Use = { IsWhole = true },
        };
        try
        {
            made.MapHeader();
            made.Extend(1);
            *made.Header = new() { Magic = MappedPagesHeader.FileMagic, PageSize = (uint)pageSize, PageCount = 1 };
            made.NoteLife();
            made.Sync(all: false);
            if (replaced is not null) SystemFile.Here.Replace(beside, target);
            else if (!SystemFile.Here.TryRename(beside, target))
            {
                Drop();
                return null;
            }
            return made;
        }
        catch
        {
            Drop();
            throw;
        }

        void Drop()
        {
            made.Unmap();
            file.Dispose();
            SystemFile.Here.CleanUp(beside);
        }
    }

    // It is mapped by itself first, for its syncs.
    private void MapHeader()
    {
        Map(0, Environment.SystemPageSize);
        Use.WholeChanged = NoteLife;
    }
}
