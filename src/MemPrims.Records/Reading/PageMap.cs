using MemPrims.Records.Format;
using MemPrims.Records.Storage;

namespace MemPrims.Records.Reading;

// Where the pages are in memory. A file that grows gets one more mapped region and a new, longer map object; what is mapped stays where it
// is, so that readers of the older object go on undisturbed. Looked up by chunks of eight pages, for a table of 8 bytes per 64 KiB of
// file.
internal sealed unsafe class PageMap
{
    public const int ChunkShift = 3, PagesPerChunk = 1 << ChunkShift, ChunkBytes = PagesPerChunk * 2 * PageHeader.PageBytes;

    private readonly MappedRegion[] _regions;

    private PageMap(uint slotBytes, MappedRegion[] regions, ulong[] chunks, ulong[] verified, int pages)
    {
        SlotBytes = slotBytes;
        _regions = regions;
        Chunks = chunks;
        Verified = verified;
        Pages = pages;
    }

    public uint SlotBytes { get; }

    // The address of each chunk.
    public ulong[] Chunks { get; }

    // For each copy of each page the transaction of the page whose checksum was found right; 0 when none was.
    public ulong[] Verified { get; }

    // How many pages are mapped.
    public int Pages { get; }

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
        foreach (MappedRegion region in _regions) region.Unmap();
    }

    public static PageMap Empty(uint slotBytes) => new(slotBytes, [], [], [], 0);

    public byte* Copy(int page, int copy) =>
        (byte*)Chunks[page >> ChunkShift] + (((page & (PagesPerChunk - 1)) << 1) | copy) * PageHeader.PageBytes;

    // This map, or a longer one when the file has that many pages and this map has not.
    public PageMap Covering(int pages, IStorage storage)
    {
        if (pages <= Pages) return this;
        // A last chunk that was mapped in part is mapped once more as a whole.
        int from = Pages & ~(PagesPerChunk - 1);
        long fileLength = storage.Length, offset = PageHeader.OffsetOf(SlotBytes, from, 0);
        // Not all of a file that is far too long: the tables here grow with what is mapped, and a sparse file costs its maker nothing.
        long mappable = Math.Min((fileLength - offset) / (2 * PageHeader.PageBytes), WithRoom(pages, Pages) - from);
        if (from + mappable < pages)
        {
            throw new MappedFileException(MappedFileReason.Truncated, storage.Path,
                $"The file has {pages} pages but is too short for them: it was cut off. Salvage copies out what is left",
                null, (ulong)PageHeader.FileBytes(SlotBytes, pages), (ulong)fileLength);
        }
        MappedRegion region = storage.Map(offset, mappable * 2 * PageHeader.PageBytes);
        int mapped = from + (int)mappable;
        ulong[] chunks = new ulong[(mapped + PagesPerChunk - 1) >> ChunkShift];
        int kept = from >> ChunkShift;
        Array.Copy(Chunks, chunks, kept);
        for (int chunk = kept; chunk < chunks.Length; chunk++) chunks[chunk] = (ulong)region.Start + (ulong)(chunk - kept) * ChunkBytes;
        ulong[] verified = new ulong[2 * (long)mapped];
        Array.Copy(Verified, verified, Verified.Length);
        return new(SlotBytes, [.. _regions, region], chunks, verified, mapped);
    }
}
