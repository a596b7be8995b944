namespace MemPrims.Pages;

// Page 0 of a file of pages; the rest of it is zero. What the fields mean stands in LAYOUT.md.
internal unsafe struct MappedPagesHeader
{
    public const int Bytes = 64;

    // The bytes "MPf2".
    public const uint FileMagic = 0x3266504D;

    public uint Magic, PageSize, PageCount, Root, FirstFree, FreeCount, Directory, Mark;
    public ulong Checkpoint;
    public FileLife Life;
    public fixed byte Zero[8];

    // The header of an open file, proved as far as the file's length does, or a PageDamagedException.
    public static MappedPagesHeader Read(FileStream file, string path)
    {
        MappedPagesHeader header = default;
        Span<byte> bytes = new(&header, Bytes);
        int read = RandomAccess.Read(file.SafeFileHandle, bytes, 0);
        if (read < sizeof(uint) || header.Magic != FileMagic)
            throw PageDamagedException.OtherFile($"{path} is no file of pages: it " +
                (read == 0 ? "is empty. " : $"begins with {Convert.ToHexString(bytes[..Math.Min(read, 16)])}. ") +
                "Give the path of a file that MappedPages.Create has made; if nothing of this one is needed, delete it.");
        byte* start = (byte*)&header;
        Check(read == bytes.Length, "The file is shorter than its header", start);
        const uint least = PageLayout.SmallestPage, most = PageLayout.LargestPage, step = PageLayout.PageMultiple;
        Check(header.PageSize is >= least and <= most && header.PageSize % step == 0,
            $"No page has {header.PageSize} bytes", &header.PageSize);
        Check(header.PageCount != 0 && (long)header.PageCount * header.PageSize <= file.Length,
            $"{header.PageCount} pages of {header.PageSize} bytes are more than the {file.Length} bytes of the file", &header.PageCount);
        Check(header.Root < header.PageCount, $"The root is page {header.Root}, of {header.PageCount}", &header.Root);
        Check(header.Directory < header.PageCount, $"The directory of trees is page {header.Directory}, of {header.PageCount}",
            &header.Directory);
        return header;

        void Check(bool holds, string otherwise, void* field)
        {
            if (!holds) throw new PageDamagedException($"{path}: {otherwise}", 0, (int)((byte*)field - start));
        }
    }

    // What the mark is where all pages are on the disk. It is never 0.
    public readonly uint MarkOfAll()
    {
        MappedPagesHeader unmarked = this with { Mark = 0 };
        return Math.Max(1, MemPrims.Checksum.Crc32C(new ReadOnlySpan<byte>(&unmarked, Bytes)));
    }
}

// The first bytes of a page that is free.
internal struct FreePageHeader
{
    // The bytes "MPx1".
    public const uint FreeMagic = 0x3178504D;

    public uint Magic, Next;
}
