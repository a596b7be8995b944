using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Records.Format;

/// <summary>
/// The first 32 bytes of a physical page; its records follow. The checksum is over all the bytes after it, seeded with the page number, so that a
/// page that was written to another page's place is seen. Enough is said here to read the records of a page without any meta.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = Size)]
internal struct PageHeader
{
    public const int PageBytes = 4096, Size = 32, Room = PageBytes - Size, TransactionOffset = 8, ChecksumEnd = 4;

    [FieldOffset(0)] public uint Checksum;
    [FieldOffset(4)] public uint Page;
    [FieldOffset(TransactionOffset)] public ulong Transaction;
    [FieldOffset(16)] public uint RecordId;
    [FieldOffset(20)] public ushort RecordVersion;
    [FieldOffset(22)] public ushort RecordBytes;
    [FieldOffset(24)] public ushort FixedBytes;
    [FieldOffset(26)] public ushort Records;
    [FieldOffset(28)] public uint Zero;

    public static uint ChecksumOf(ReadOnlySpan<byte> page, uint number) => Checksum32(page[ChecksumEnd..PageBytes], number);

    /// <summary>Where a copy of a page is in the file.</summary>
    public static long OffsetOf(uint slotBytes, int page, int copy) => 2L * slotBytes + (2L * page + copy) * PageBytes;

    /// <summary>How long a file of so many pages is at least.</summary>
    public static long FileBytes(uint slotBytes, long pages) => 2L * slotBytes + 2 * pages * PageBytes;

    public static ref PageHeader Of(Span<byte> page) => ref Unsafe.As<byte, PageHeader>(ref MemoryMarshal.GetReference(page));

    private static uint Checksum32(ReadOnlySpan<byte> bytes, uint seed) => MemPrims.Checksum.Crc32C(bytes, seed);
}
