using System.Globalization;
using MemPrims.Records.Storage;

namespace MemPrims.Records.Log;

/// <summary>All that a log needs of its folder, and the seam at which tests crash. Names last from <see cref="Sync"/> on.</summary>
internal interface ILogFolder : IDisposable
{
    string Path { get; }

    /// <summary>Makes this the log's one writer; false when there is another.</summary>
    bool TryLock();

    /// <summary>The positions that files begin with, in order.</summary>
    long[] List();

    bool Has(long first);

    IStorage Open(long first, bool writes);

    /// <summary>A new file without a name in the log. One that was left there is written over.</summary>
    IStorage CreateBeside();

    /// <summary>Gives the file beside its name in the log.</summary>
    void Publish(long first);

    void Delete(long first);

    void Sync();
}

/// <summary>A folder of the operating system.</summary>
internal sealed class LogFolder : ILogFolder
{
    private const string Extension = ".log", Beside = "next.new", LockName = "lock";
    private const int Digits = 19;

    private FileStorage? _lock;

    public LogFolder(string path) => Path = System.IO.Path.GetFullPath(path);

    public string Path { get; }

    public static string NameOf(long first) => first.ToString($"D{Digits}", CultureInfo.InvariantCulture) + Extension;

    /// <summary>Makes the folder where there is none, so that its name lasts.</summary>
    public void Create()
    {
        if (Directory.Exists(Path)) return;
        try
        {
            Directory.CreateDirectory(Path);
            FileStorage.SyncFolderOf(Path);
        }
        catch (Exception e) when (IoErrors.Of(e, Path, "make the folder") is { } told)
        {
            throw told;
        }
    }

    public bool TryLock()
    {
        while (true)
        {
            FileStorage file = FileStorage.Open(System.IO.Path.Combine(Path, LockName), FileMode.OpenOrCreate, FileAccess.ReadWrite);
            bool isHeld = false;
            try
            {
                isHeld = file.TryLock(LockByte.Writer, exclusive: true);
                // Where somebody deleted the file in between, a lock on it keeps nobody out.
                if (isHeld && !file.IsStillThere()) continue;
                if (isHeld) (_lock, file) = (file, null!);
                return isHeld;
            }
            finally
            {
                file?.Dispose();
            }
        }
    }

    public long[] List() =>
        [.. Directory.EnumerateFiles(Path).Select(PositionIn).Where(first => first >= 0).Order()];

    public bool Has(long first) => File.Exists(PathOf(first));

    public IStorage Open(long first, bool writes) =>
        FileStorage.Open(PathOf(first), FileMode.Open, writes ? FileAccess.ReadWrite : FileAccess.Read);

    public IStorage CreateBeside() =>
        FileStorage.Open(System.IO.Path.Combine(Path, Beside), FileMode.Create, FileAccess.ReadWrite);

    public void Publish(long first) => File.Move(System.IO.Path.Combine(Path, Beside), PathOf(first));

    public void Delete(long first) => File.Delete(PathOf(first));

    public void Sync() => FileStorage.SyncFolderOf(PathOf(0));

    public void Dispose() => _lock?.Dispose();

    private string PathOf(long first) => System.IO.Path.Combine(Path, NameOf(first));

    private static long PositionIn(string path) =>
        System.IO.Path.GetFileName(path) is { Length: Digits + 4 } name && name.EndsWith(Extension, StringComparison.Ordinal)
            && long.TryParse(name.AsSpan(0, Digits), NumberStyles.None, CultureInfo.InvariantCulture, out long first) ? first : -1;
}
