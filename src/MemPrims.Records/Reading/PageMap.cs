namespace MemPrims.Records.Reading;

// Where the pages are in memory. A file that grows gets one more mapped region and a new, longer map object; what is mapped stays where it
// is, for readers of the older object. Looked up by chunks of eight pages, for a table of 8 bytes per 64 KiB of file.
internal sealed unsafe class PageMap(uint slotBytes, MappedRegion[] regions, ulong[] chunks, ulong[] verified, int pages)
{
    public const int ChunkShift = 3, PagesPerChunk = 1 << ChunkShift, ChunkBytes = PagesPerChunk * 2 * PageHeader.PageBytes;

    public uint SlotBytes { get; } = slotBytes;

    public ulong[] Chunks { get; } = chunks;

    // For each copy of each page the transaction of the page whose checksum was found right; 0 when none was.
    public ulong[] Verified { get; } = verified;

    public int Pages { get; } = pages;

    // How many pages are mapped, and a file extended to, when so many are needed: an eighth more than before, within limits.
    public static int WithRoom(int pages, int before)
    {
        const int mostAtOnce = 2048;
        long target = Math.Max(pages, before + (long)Math.Min(before >> 3, mostAtOnce));
        return (int)((target + PagesPerChunk - 1) & -PagesPerChunk);
    }

    // Takes the memory away from whoever still reads there, and sees zeros from then on.
    public void Unmap()
    {
        foreach (MappedRegion region in regions) region.Unmap();
    }

    public static PageMap Empty(uint slotBytes) => new(slotBytes, [], [], [], 0);

    public byte* Copy(int page, int copy) =>
        (byte*)Chunks[page >> ChunkShift] + (((page & (PagesPerChunk - 1)) << 1) | copy) * PageHeader.PageBytes;

    // This map, or a longer one when the file has that many pages and this map has not.
    public PageMap Covering(int wanted, IStorage storage)
    {
        if (wanted <= Pages) return this;
        // A last chunk that was mapped in part is mapped once more as a whole.
        int from = Pages & ~(PagesPerChunk - 1);
        long fileLength = storage.Length, offset = PageHeader.OffsetOf(SlotBytes, from, 0);
        // Not all of a file that is far too long: the tables here grow with what is mapped, and a sparse file costs its maker nothing.
        long mappable = Math.Min((fileLength - offset) / (2 * PageHeader.PageBytes), WithRoom(wanted, Pages) - from);
        if (from + mappable < wanted)
            throw new MappedFileException(MappedFileReason.Truncated, storage.Path,
                $"The file has {wanted} pages but is too short for them: it was cut off. Salvage copies out what is left",
                null, (ulong)PageHeader.FileBytes(SlotBytes, wanted), (ulong)fileLength);
        MappedRegion region = storage.Map(offset, mappable * 2 * PageHeader.PageBytes);
        int mapped = from + (int)mappable;
        ulong[] places = new ulong[(mapped + PagesPerChunk - 1) >> ChunkShift], checkedCopies = new ulong[2 * (long)mapped];
        int kept = from >> ChunkShift;
        Array.Copy(Chunks, places, kept);
        for (int chunk = kept; chunk < places.Length; chunk++) places[chunk] = (ulong)region.Start + (ulong)(chunk - kept) * ChunkBytes;
        Array.Copy(Verified, checkedCopies, Verified.Length);
        return new(SlotBytes, [.. regions, region], places, checkedCopies, mapped);
    }
}
