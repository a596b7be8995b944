using System.Globalization;

namespace MemPrims.Records.Log;

// A folder of the operating system.
internal sealed class LogFolder : ILogFolder
{
    private const string Extension = ".log", Beside = "next.new", LockName = "lock";
    public const int Digits = 19;

    private readonly LogFolder? _original;
    private FileStorage? _lock;
    private FileIdentity? _locked;
    private bool _isMade;

    // original: the log whose content this one gets. Who may open that one may open this one, and nobody else.
    public LogFolder(string path, LogFolder? original = null) => (Path, _original) = (SystemPath.Full(path), original);

    public string Path { get; }

    public static string NameOf(long first) => first.ToString($"D{Digits}", CultureInfo.InvariantCulture) + Extension;

    // Makes the folder where there is none, and those above it. Their names are on the disk, from the top down: each name lasts before the
    // next folder is made in it, so a crash leaves only one to sync again.
    public void Create()
    {
        try
        {
            Stack<string> missing = new();
            string there = Path;
            for (; !Directory.Exists(there); there = System.IO.Path.GetDirectoryName(there)!) missing.Push(there);
            if (missing.TryPeek(out string? first) && File.Exists(first)) throw LogErrors.FileForFolder(first);
            SyncNameOf(there);
            foreach (string folder in missing)
            {
                Directory.CreateDirectory(folder);
                FileStorage.SyncFolderOf(folder);
            }
            _isMade = missing.Count > 0;
            if (_isMade && _original is not null) SystemFile.Here.GiveRights(_original.Path, Path);
        }
        catch (Exception e) when (IoErrors.Of(e, Path, "make the folder") is { } told)
        {
            throw told;
        }
    }

    // The folder may be a link, or what a crash left without a lasting name. Where the folder above may not be read, another user made
    // this one; where it can't be synced, it is no folder of a disk.
    private static void SyncNameOf(string folder)
    {
        try
        {
            SystemFile.Here.SyncFolder(System.IO.Path.Combine(folder, ".."));
        }
        catch (IOException e) when (e.HResult is Errno.EACCES or Errno.EINVAL) { }
    }

    public bool TryLock()
    {
        while (true)
        {
            // Opening would make the file that the link leads to, wherever that is.
            if (IsLinkToNothing(LockPath)) throw LogErrors.LinkToNothing(LockPath);
            FileStorage file = FileStorage.Open(LockPath, FileMode.OpenOrCreate, FileAccess.ReadWrite);
            bool isHeld = false;
            try
            {
                isHeld = file.TryLock(LockByte.Writer, exclusive: true);
                // Where somebody deleted the file in between, a lock on it keeps nobody out.
                if (isHeld && !file.IsStillThere()) continue;
                if (isHeld && _isMade && _original?.RightsOfFiles() is { } rights) file.TryTake(rights, wholly: false);
                if (isHeld) (_lock, _locked, file) = (file, file.Identity, null!);
                return isHeld;
            }
            finally
            {
                file?.Dispose();
            }
        }
    }

    // One call of the system, about 1 µs. The identity of the held lock was taken when it was locked.
    public bool IsStillLocked() => _locked is not { } held || (SystemFile.Here.IdentityOf(LockPath) is { } there && there.IsSameAs(held));

    // By hand, and by the names, whose order is that of the positions: over numbers, the runtime's lists are compiled at their first call.
    public long[] List()
    {
        List<string> paths = [];
        foreach (string path in Directory.EnumerateFiles(Path))
            if (PositionIn(path) >= 0) paths.Add(path);
        if (paths.Count > 1) paths.Sort(StringComparer.Ordinal);
        long[] firsts = new long[paths.Count];
        for (int i = 0; i < firsts.Length; i++) firsts[i] = PositionIn(paths[i]);
        return firsts;
    }

    public bool Has(long first) => SystemFile.Here.IsThere(PathOf(first)) && SystemFile.Here.IsOrdinary(PathOf(first));

    public IStorage Open(long first, bool writes)
    {
        string path = PathOf(first);
        if (IsLinkToNothing(path)) throw LogErrors.LinkToNothing(path);
        return FileStorage.Open(path, FileMode.Open, writes ? FileAccess.ReadWrite : FileAccess.Read);
    }

    // With the rights before the first byte: whoever has opened a file reads on in it, whatever its mode becomes.
    public IStorage CreateBeside(FileRights? rights)
    {
        string beside = System.IO.Path.Combine(Path, Beside);
        if (Directory.Exists(beside) && new FileInfo(beside).LinkTarget is null)
            throw new MappedFileException(MappedFileReason.NotThisFormat, beside, "A folder stands where the log makes its files. Move it "
                + "away");
        File.Delete(beside);
        rights ??= _original?.RightsOfFiles();
        if (rights is null) return FileStorage.Open(beside, FileMode.CreateNew, FileAccess.ReadWrite);
        FileStorage made = FileStorage.CreatePrivate(beside);
        made.TryTake(rights, wholly: false);
        return made;
    }

    public void Publish(long first) => NewFile.Rename(System.IO.Path.Combine(Path, Beside), PathOf(first));

    public void Delete(long first) => SystemFile.Here.Delete(PathOf(first));

    public void Sync() => SystemFile.Here.SyncFolder(Path);

    public void Dispose() => _lock?.Dispose();

    private static bool IsLinkToNothing(string path) => new FileInfo(path).LinkTarget is not null && !SystemFile.Here.IsThere(path);

    private FileRights? RightsOfFiles()
    {
        foreach (long first in List())
        {
            try
            {
                using IStorage file = Open(first, writes: false);
                return file.Rights;
            }
            catch (IOException)
            {
                // What has such a name and is no file.
            }
        }
        return null;
    }

    private string LockPath => System.IO.Path.Combine(Path, LockName);

    private string PathOf(long first) => System.IO.Path.Combine(Path, NameOf(first));

    // The position that a file is named by; -1 where its name is none of a log's.
    public static long PositionIn(string path) =>
        System.IO.Path.GetFileName(path) is { Length: Digits + 4 } name && name.EndsWith(Extension, StringComparison.Ordinal)
            && long.TryParse(name.AsSpan(0, Digits), NumberStyles.None, CultureInfo.InvariantCulture, out long first) ? first : -1;
}
