using System.Globalization;
using System.Text;

namespace MemPrims.Records.Maintenance;

// A file that is made beside its name, synced, and gets the name when it is whole: nobody ever opens half a file, and a process that is
// killed leaves none in the way of the next attempt.
internal static class NewFile
{
    // Memory for 16 MiB of pages, however large the file.
    private const int PagesPerCommit = 4096;

    // attempt: what fails when it fails, as in "make the file".
    // rights: of the file whose content it gets; null when it has its own.
    // replaces: whether that file has the name, and is replaced. If not, a file of that name is an error.
    public static void Make(string path, string attempt, Action<FileStorage> fill, FileRights? rights = null, bool replaces = false)
    {
        string full = SystemPath.Full(path), beside = Beside(full);
        try
        {
            if (!replaces && File.Exists(full)) throw Taken(full);
            using (FileStorage made = Made(beside, full, rights, replaces)) fill(made);
            if (replaces) SystemFile.Here.Replace(beside, full);
            else Rename(beside, full);
            FileStorage.SyncFolderOf(full);
        }
        catch (Exception e)
        {
            SystemFile.Here.CleanUp(beside);
            // The runtime names the file beside.
            if (e is DirectoryNotFoundException) throw new DirectoryNotFoundException($"There is no folder for {full}: make it first.", e);
            if (IoErrors.Of(e, full, attempt) is { } told) throw told;
            throw;
        }
    }

    // With the rights before the first byte: whoever has opened a file reads on in it, whatever its mode becomes.
    private static FileStorage Made(string beside, string full, FileRights? rights, bool replaces)
    {
        if (rights is null) return FileStorage.Open(beside, FileMode.CreateNew, FileAccess.ReadWrite);
        FileStorage made = FileStorage.CreatePrivate(beside);
        if (made.TryTake(rights, wholly: replaces)) return made;
        made.Dispose();
        throw new MappedFileException(MappedFileReason.ReadOnly, full, "The system does not let this process give the new file the owner, "
            + "mode and ACL of the old one. Nothing was changed. Do it as the file's owner");
    }

    // Fills a file with records, page by page of the one that they come from.
    public static void CopyPages<T>(MappedFile<T> to, int pages, Action<WriteTransaction<T>, int> copy)
        where T : IMappedRecord<T>, allows ref struct
    {
        for (int page = 0; page < pages;)
        {
            using WriteTransaction<T> transaction = to.BeginWrite();
            for (int last = Math.Min(pages, page + PagesPerCommit); page < last; page++) copy(transaction, page);
            transaction.Commit();
        }
    }

    // Gives the file a name that is free; an error where it is not.
    public static void Rename(string beside, string full)
    {
        if (!SystemFile.Here.TryRename(beside, full)) throw Taken(full);
    }

    private static IOException Taken(string full) =>
        new($"There is a file {full} already. Give another path, or move that one away.", Errno.EEXIST);

    // A long name loses its end: the system's names have at most 255 bytes.
    private static string Beside(string full)
    {
        const int mostBytes = 255;
        string end = "." + RandomId.New().ToString("x16", CultureInfo.InvariantCulture) + ".new", name = Path.GetFileName(full);
        // A name that is too long itself is left to the system to refuse.
        if (name.Length > (mostBytes - end.Length) / 3 && Encoding.UTF8.GetByteCount(name) <= mostBytes)
            while (Encoding.UTF8.GetByteCount(name) + end.Length > mostBytes)
                name = name[..^(name.Length > 1 && char.IsSurrogatePair(name, name.Length - 2) ? 2 : 1)];
        return Path.Combine(Path.GetDirectoryName(full) ?? "", name + end);
    }
}
