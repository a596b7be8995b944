namespace MemPrims.Records.Format;

// The first 128 bytes of a meta slot; the bitmap of active copies follows. Every offset is written down here and in FORMAT.md: none is the
// runtime's. The checksum is over all the bytes before it and then over the bitmap.
[StructLayout(LayoutKind.Explicit, Size = Size)]
internal struct MetaHeader
{
    public const int Size = 128, ChecksumOffset = 124, TransactionOffset = 48, SealOffset = 88;
    public const ulong RightMagic = 0x31434552_4D4D454D;    // "MEMMREC1"
    // 1 was never released.
    public const uint RightFormat = 2;
    // No file gets there by commits, so a higher number is refused: it would wrap, and the oldest state would pass for the newest.
    public const ulong LastTransaction = 1UL << 62;
    public const int MinSlotBytes = 4096, MaxSlotBytes = 1 << 20;

    [FieldOffset(0)] public ulong Magic;
    [FieldOffset(8)] public uint Format;
    [FieldOffset(12)] public uint SlotBytes;
    [FieldOffset(16)] public uint RecordId;
    [FieldOffset(20)] public ushort RecordVersion;
    [FieldOffset(22)] public ushort ReadableFrom;
    [FieldOffset(24)] public ushort RecordBytes;
    [FieldOffset(26)] public ushort FixedBytes;
    [FieldOffset(28)] public uint PageBytes;
    [FieldOffset(32)] public ulong LayoutHash;
    [FieldOffset(40)] public ulong ReadableHash;
    [FieldOffset(TransactionOffset)] public ulong Transaction;
    [FieldOffset(56)] public ulong PageSum;
    [FieldOffset(64)] public uint RecordCount;
    [FieldOffset(68)] public uint PageCount;
    [FieldOffset(72)] public ulong FileId;
    [FieldOffset(80)] public uint RedoBytes;
    [FieldOffset(84)] public uint FreeCount;
    [FieldOffset(SealOffset)] public ulong Seal;
    // What a later format may use: a program of this one would misread such a file, so anything but zeros is refused.
    [FieldOffset(SealOffset + 8)] private readonly ulong _zero0;
    [FieldOffset(SealOffset + 16)] private readonly ulong _zero1;
    [FieldOffset(SealOffset + 24)] private readonly ulong _zero2;
    [FieldOffset(ChecksumOffset - 4)] private readonly uint _zero3;
    [FieldOffset(ChecksumOffset)] public uint Checksum;

    static MetaHeader()
    {
        if (!BitConverter.IsLittleEndian) throw new PlatformNotSupportedException("Mapped records are little-endian in the file and "
            + "are read in place: this machine is big-endian.");
    }

    public readonly int RecordsPerPage => PageHeader.PerPage(RecordBytes);

    // Bytes of a slot after the bitmap.
    public readonly long RedoRoom => SlotBytes - Size - BitmapWords(PageCount) * 8L;

    // The header of the next commit, with the same records.
    public readonly MetaHeader Next(string path)
    {
        if (Transaction >= LastTransaction)
            throw new MappedFileException(MappedFileReason.Full, path,
                "The file's transaction numbers are used up: copy its records into a new file.");
        MetaHeader next = this;
        next.Transaction++;
        return next;
    }

    public void SetRecords(int count, int free)
    {
        RecordCount = (uint)count;
        FreeCount = (uint)free;
        PageCount = (uint)((count + (long)RecordsPerPage - 1) / RecordsPerPage);
    }

    public static int BitmapWords(long pages) => (int)((pages + 63) >> 6);

    public static long MaxPages(uint slotBytes) => (slotBytes - Size) * 8L;

    public static bool IsSlotBytes(long bytes) => bytes is >= MinSlotBytes and <= MaxSlotBytes && (bytes & (bytes - 1)) == 0;

    // What makes no sense about a header whose checksum may be right; null when all does.
    public readonly string? Contradiction(int slot, uint slotBytes) =>
        Format != RightFormat ? $"its format is {Format}"
        : SlotBytes != slotBytes ? $"its meta slots are of {SlotBytes} bytes, and not of {slotBytes}"
        : PageBytes != PageHeader.PageBytes ? $"its pages are of {PageBytes} bytes"
        : Transaction > LastTransaction ? $"transaction {Transaction} is beyond the last one"
        : Transaction == 0 || (Transaction & 1) != (uint)slot ? $"transaction {Transaction} does not belong into slot {slot}"
        : RecordBytes is < 8 or > PageHeader.Room || (RecordBytes & 7) != 0 || FixedBytes == 0 || FixedBytes > RecordBytes
            ? $"records of {FixedBytes} in {RecordBytes} bytes cannot be"
        : PageCount > MaxPages(slotBytes) || RecordCount > int.MaxValue ? $"{PageCount} pages or {RecordCount} records are too many"
        : PageCount != (RecordCount + (ulong)RecordsPerPage - 1) / (ulong)RecordsPerPage
            ? $"{RecordCount} records do not fill {PageCount} pages"
        : FreeCount > RecordCount ? $"it counts {FreeCount} free records of {RecordCount}"
        : (_zero0 | _zero1 | _zero2 | _zero3) != 0 ? "its bytes 96 to 123 are not zero"
        : RedoRoom < RedoBytes ? $"it carries {RedoBytes} bytes of writes, and has room for {RedoRoom}"
        : null;
}
