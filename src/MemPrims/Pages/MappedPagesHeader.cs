namespace MemPrims.Pages;

/// <summary>Page 0 of a file of pages; the rest of it is zero. LAYOUT.md is the same as a table.</summary>
internal unsafe struct MappedPagesHeader
{
    public const int Bytes = 64;

    /// <summary>The bytes "MPf2".</summary>
    public const uint FileMagic = 0x3266504D;

    public uint Magic, PageSize;

    /// <summary>Page 0 and all that were ever given out.</summary>
    public uint PageCount;

    /// <summary>The tree without a name.</summary>
    public uint Root;

    /// <summary>The free page that is given out next; 0 where there is none.</summary>
    public uint FirstFree;
    public uint FreeCount;

    /// <summary>The root of the tree in which the names of trees are, with their roots; 0 where there is none.</summary>
    public uint Directory;

    /// <summary>0 while pages change. Else the CRC-32C of this header, and so the word that all pages are on the disk.</summary>
    public uint Mark;

    /// <summary>The caller's number of the last checkpoint.</summary>
    public ulong Checkpoint;

    /// <summary>The life of the system in which pages change, and the file in which they do; 0 where the pages are not whole.</summary>
    public FileLife Life;
    public fixed byte Zero[8];

    /// <summary>What the mark is where all pages are on the disk. It is never 0.</summary>
    public readonly uint MarkOfAll()
    {
        MappedPagesHeader unmarked = this with { Mark = 0 };
        return Math.Max(1, MemPrims.Checksum.Crc32C(new ReadOnlySpan<byte>(&unmarked, Bytes)));
    }
}

/// <summary>The first bytes of a page that is free.</summary>
internal struct FreePageHeader
{
    /// <summary>The bytes "MPx1".</summary>
    public const uint FreeMagic = 0x3178504D;

    public uint Magic, Next;
}
