namespace MemPrims.Records.Log;

// All that a log needs of its folder, and the seam at which tests crash. Names last from Sync on.
internal interface ILogFolder : IDisposable
{
    string Path { get; }

    // Makes this the log's one writer; false when there is another.
    bool TryLock();

    // Whether the path still names the folder that TryLock locked: another writer may come where it does not.
    bool IsStillLocked();

    // The positions that files begin with, in order.
    long[] List();

    // Whether an ordinary file is there, or a link to one.
    bool Has(long first);

    IStorage Open(long first, bool writes);

    // A new file without a name in the log. What was left there goes first; a link there is not followed.
    // rights: of the file before it, which are the log's; null for the first one.
    IStorage CreateBeside(FileRights? rights);

    // Gives the file beside its name in the log.
    void Publish(long first);

    void Delete(long first);

    void Sync();
}
