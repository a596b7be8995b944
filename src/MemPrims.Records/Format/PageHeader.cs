namespace MemPrims.Records.Format;

// The first 32 bytes of a physical page; its records follow. The checksum is over all the bytes after it, seeded with the page number, so
// that a page that was written to another page's place is seen. Enough is said here to read the records of a page without any meta.
[StructLayout(LayoutKind.Explicit, Size = Size)]
internal struct PageHeader
{
    public const int PageBytes = 4096, Size = 32, Room = PageBytes - Size, TransactionOffset = 8, ChecksumEnd = 4;
    public const int BitsInHeader = 32;
    private const int FreeOffset = 28;

    [FieldOffset(0)] public uint Checksum;
    [FieldOffset(4)] public uint Page;
    [FieldOffset(TransactionOffset)] public ulong Transaction;
    [FieldOffset(16)] public uint RecordId;
    [FieldOffset(20)] public ushort RecordVersion;
    [FieldOffset(22)] public ushort RecordBytes;
    [FieldOffset(24)] public ushort FixedBytes;
    [FieldOffset(26)] public ushort Records;
    // A bit for each of the first 32 records, 1 when it is free. Those of further records are in the last bytes of the page.
    [FieldOffset(FreeOffset)] public uint Free;

    public static uint ChecksumOf(ReadOnlySpan<byte> page, uint number) => MemPrims.Checksum.Crc32C(number, page[ChecksumEnd..PageBytes]);

    public static long OffsetOf(uint slotBytes, int page, int copy) => 2L * slotBytes + (2L * page + copy) * PageBytes;

    // How long a file of so many pages is at least.
    public static long FileBytes(uint slotBytes, long pages) => 2L * slotBytes + 2 * pages * PageBytes;

    public static ref PageHeader Of(Span<byte> page) => ref Unsafe.As<byte, PageHeader>(ref MemoryMarshal.GetReference(page));

    // How many records are in a full page. A bit for each tells whether it is free: 32 of the bits are in the header.
    public static int PerPage(int recordBytes)
    {
        int records = Room / recordBytes;
        while (records * recordBytes + FreeBytesAtEnd(records) > Room) records--;
        return records;
    }

    // Which byte of the page has the bit of a record, which is bit `record & 7`.
    public static int FreeByteOf(int record, int perPage) =>
        record < BitsInHeader ? FreeOffset + record / 8 : PageBytes - FreeBytesAtEnd(perPage) + (record - BitsInHeader) / 8;

    public static bool IsFree(ReadOnlySpan<byte> page, int record, int perPage) =>
        (page[FreeByteOf(record, perPage)] >> (record & 7) & 1) != 0;

    // The first free record from `from` on; `end` when there is none before that.
    public static int FirstFree(ReadOnlySpan<byte> page, int from, int end, int perPage)
    {
        while (from < end && !IsFree(page, from, perPage)) from = (from & 7) == 0 && page[FreeByteOf(from, perPage)] == 0 ? from + 8
            : from + 1;
        return Math.Min(from, end);
    }

    private static int FreeBytesAtEnd(int records) => (Math.Max(records - BitsInHeader, 0) + 7) / 8;
}
