using MemPrims.Records.Storage;

namespace MemPrims.Records.Log;

/// <summary>All that a log needs of its folder, and the seam at which tests crash. Names last from <see cref="Sync"/> on.</summary>
internal interface ILogFolder : IDisposable
{
    string Path { get; }

    /// <summary>Makes this the log's one writer; false when there is another.</summary>
    bool TryLock();

    /// <summary>Whether the path still names the folder that <see cref="TryLock"/> locked: another writer may come where it does not.
    /// </summary>
    bool IsStillLocked();

    /// <summary>The positions that files begin with, in order.</summary>
    long[] List();

    /// <summary>Whether an ordinary file is there, or a link to one.</summary>
    bool Has(long first);

    IStorage Open(long first, bool writes);

    /// <summary>A new file without a name in the log. What was left there goes first; a link there is not followed.</summary>
    IStorage CreateBeside();

    /// <summary>Gives the file beside its name in the log.</summary>
    void Publish(long first);

    void Delete(long first);

    void Sync();
}
