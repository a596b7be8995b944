namespace MemPrims.Records;

/// <summary>Why a <see cref="MappedFileException"/> was thrown.</summary>
public enum MappedFileReason
{
    /// <summary>The file is something else: its first bytes are not those of this format.</summary>
    NotThisFormat,

    /// <summary>The file holds records of another type, or of the same type with another layout.</summary>
    WrongRecord,

    /// <summary>A newer version of the format or of the record wrote the file, and does not let this one read (or write) it.</summary>
    Newer,

    /// <summary>The file holds an older version of the record: it can be read, but must be upgraded before it is written.</summary>
    Older,

    /// <summary>The file is shorter than its meta says.</summary>
    Truncated,

    /// <summary>Neither meta slot is valid.</summary>
    DamagedMeta,

    /// <summary>A page's checksum, number or transaction is wrong, or a write of it never reached the disk.</summary>
    DamagedPage,

    /// <summary>The contents of a record, under a right checksum, make no sense.</summary>
    DamagedRecord,

    /// <summary>There is another writer; or it commits so fast that a read never got done.</summary>
    Locked,

    /// <summary>A pinned snapshot keeps the writer from using its pages again.</summary>
    Pinned,

    /// <summary>The disk, the meta's bitmap or the id range is used up.</summary>
    Full,

    /// <summary>The file was opened for reading, or cannot be written.</summary>
    ReadOnly,

    /// <summary>An earlier sync or meta write failed: what is on the disk is unknown, so this writer writes no more.</summary>
    Poisoned,

    /// <summary>The system refused to read, write, map or lock; the inner exception says why. Nothing was committed.</summary>
    IoError,

    /// <summary>The transaction was built on changes of another thread whose commit failed: it has ended and may be done anew.</summary>
    Rejected,
}
