using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using MemPrims.Records.Storage;
using Aes = System.Runtime.Intrinsics.Arm.Aes;

namespace MemPrims.Records.Format;

/// <summary>
/// A meta, checked, in memory of its own: the header, which copy of each page is active (bit set: copy B), and the writes of a small
/// commit.
/// </summary>
internal sealed class Meta(MetaHeader header, ulong[] active, ReadOnlyMemory<byte> redo)
{
    private readonly MetaHeader _header = header;

    public ref readonly MetaHeader Header => ref _header;

    public ulong[] Active { get; } = active;

    /// <summary>See <see cref="Format.Redo"/>.</summary>
    public ReadOnlySpan<byte> Redo => redo.Span;

    public long Bytes => MetaHeader.Size + Active.Length * 8L + redo.Length;

    /// <summary>
    /// Takes a private copy of a slot and checks that: the slot itself may be written by another process meanwhile, and then fails the
    /// check.
    /// </summary>
    public static unsafe Meta? Read(byte* slot, int index, uint slotBytes, out string problem)
    {
        MetaHeader header = *(MetaHeader*)slot;
        problem = header.Magic != MetaHeader.RightMagic ? "no magic" : header.Contradiction(index, slotBytes) ?? "";
        if (problem.Length > 0) return null;
        ulong[] active = new ReadOnlySpan<ulong>(slot + MetaHeader.Size, MetaHeader.BitmapWords(header.PageCount)).ToArray();
        byte[] redo = new ReadOnlySpan<byte>(slot + MetaHeader.Size + active.Length * 8L, (int)header.RedoBytes).ToArray();
        uint checksum = ChecksumOf(header, active);
        if (checksum != header.Checksum) problem = $"its checksum is {header.Checksum:x8}, and not {checksum:x8}";
        else if (SealOf(header, active, redo) != header.Seal) problem = "its seal is wrong";
        else problem = Format.Redo.Contradiction(redo, header, active) ?? "";
        return problem.Length == 0 ? new(header, active, redo) : null;
    }

    /// <summary>Fills a slot's worth of bytes, with zeros after the writes.</summary>
    public unsafe void WriteTo(Span<byte> slot)
    {
        slot.Clear();
        MetaHeader sealedHeader = _header;
        sealedHeader.RedoBytes = (uint)redo.Length;
        sealedHeader.Seal = SealOf(sealedHeader, Active, Redo);
        sealedHeader.Checksum = ChecksumOf(sealedHeader, Active);
        new ReadOnlySpan<byte>(&sealedHeader, MetaHeader.Size).CopyTo(slot);
        fixed (ulong* bits = Active) new ReadOnlySpan<byte>(bits, Active.Length * sizeof(ulong)).CopyTo(slot[MetaHeader.Size..]);
        Redo.CopyTo(slot[(MetaHeader.Size + Active.Length * 8)..]);
    }

    // Bytes by pointers: MemoryMarshal's methods over types of ours are compiled at their first call.
    private static unsafe uint ChecksumOf(in MetaHeader header, ulong[] active)
    {
        fixed (MetaHeader* start = &header)
        fixed (ulong* bits = active)
            return Checksum.Crc32C(Checksum.Crc32C((byte*)start, MetaHeader.ChecksumOffset), (byte*)bits, active.Length * sizeof(ulong));
    }

    private static unsafe ulong SealOf(in MetaHeader header, ulong[] active, ReadOnlySpan<byte> redo)
    {
        fixed (MetaHeader* start = &header)
        fixed (ulong* bits = active)
        {
            ulong seal = Format.Redo.Seal(0, new ReadOnlySpan<byte>(start, MetaHeader.SealOffset));
            return Format.Redo.Seal(Format.Redo.Seal(seal, new ReadOnlySpan<byte>(bits, active.Length * sizeof(ulong))), redo);
        }
    }
}

/// <summary>
/// The first 128 bytes of a meta slot; the bitmap of active copies follows. Every offset is written down here and in FORMAT.md: none is
/// the runtime's. The checksum is over all the bytes before it and then over the bitmap.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = Size)]
internal struct MetaHeader
{
    public const int Size = 128, ChecksumOffset = 124, TransactionOffset = 48, SealOffset = 88;
    public const ulong RightMagic = 0x31434552_4D4D454D;    // "MEMMREC1"
    // 1 was never released.
    public const uint RightFormat = 2;
    // No file gets there by commits, so a higher number is refused. Counted on, it would wrap, and the oldest state would pass for the
    // newest.
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

    // The file is read by casting, so a change of the struct's size would move the bitmap. The first use of the struct throws then.
    private const int SizeIsRight = ChecksumOffset + sizeof(uint) == Size ? 0 : -1;

    static MetaHeader()
    {
        if (!BitConverter.IsLittleEndian) throw new PlatformNotSupportedException("Mapped records are little-endian in the file and "
            + "are read in place: this machine is big-endian.");
        if (Unsafe.SizeOf<MetaHeader>() + SizeIsRight != Size) throw new InvalidOperationException("MetaHeader is not laid out as "
            + "FORMAT.md says.");
    }

    public readonly int RecordsPerPage => PageHeader.PerPage(RecordBytes);

    /// <summary>Bytes of a slot after the bitmap.</summary>
    public readonly long RedoRoom => SlotBytes - Size - BitmapWords(PageCount) * 8L;

    /// <summary>The header of the next commit, with the same records.</summary>
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

    /// <summary>What makes no sense about a header whose checksum may be right; null when all does.</summary>
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

/// <summary>
/// The writes of a small commit, carried in its meta slot: one sync then makes both durable, because whoever opens the file writes them
/// once more. Each is a word, <c>place / 64 · 256 + lines</c>, and that many lines of 64 bytes.
/// </summary>
internal static class Redo
{
    // Odd, with bits all over: 2^64 divided by the golden ratio.
    private const ulong Multiplier = 0x9E3779B97F4A7C15;

    /// <summary>Puts one more write at the start of the room that is left; false when it does not fit.</summary>
    public static bool TryPut(ref Span<byte> rest, long place, ReadOnlySpan<byte> lines)
    {
        if (rest.Length < sizeof(ulong) + lines.Length) return false;
        BinaryPrimitives.WriteUInt64LittleEndian(rest, ((ulong)place / PageLines.Bytes << 8) + (ulong)(lines.Length / PageLines.Bytes));
        lines.CopyTo(rest[sizeof(ulong)..]);
        rest = rest[(sizeof(ulong) + lines.Length)..];
        return true;
    }

    /// <summary>Takes the first write off the rest of them; false at the end, and where what is left makes no sense.</summary>
    public static bool TryTake(ref ReadOnlySpan<byte> rest, out long place, out ReadOnlySpan<byte> lines)
    {
        place = 0;
        lines = default;
        if (rest.Length < sizeof(ulong)) return false;
        ulong word = BinaryPrimitives.ReadUInt64LittleEndian(rest);
        int length = (int)(word & 0xFF) * PageLines.Bytes;
        if (length == 0 || length > rest.Length - sizeof(ulong)) return false;
        place = (long)(word >> 8) * PageLines.Bytes;
        lines = rest.Slice(sizeof(ulong), length);
        rest = rest[(sizeof(ulong) + length)..];
        return true;
    }

    /// <summary>
    /// What makes no sense about the writes that a meta carries; null when all does. Each lies within the active copy of one page.
    /// </summary>
    public static string? Contradiction(ReadOnlySpan<byte> writes, in MetaHeader header, ReadOnlySpan<ulong> active)
    {
        while (TryTake(ref writes, out long place, out ReadOnlySpan<byte> lines))
        {
            long within = place - 2L * header.SlotBytes, copy = within / PageHeader.PageBytes, page = copy >> 1;
            if (within < 0 || page >= header.PageCount || (active[(int)(page >> 6)] >> (int)(page & 63) & 1) != (ulong)(copy & 1)
                || within % PageHeader.PageBytes + lines.Length > PageHeader.PageBytes)
                return $"it carries a write of {lines.Length} bytes to {place}, where no page is active";
        }
        return writes.IsEmpty ? null : "the writes that it carries do not end where they should";
    }

    /// <summary>
    /// The seal of a meta. It is no CRC: a page contains its own CRC, so a CRC around it does not see one whole page exchanged for
    /// another. Here each word of 8 bytes goes through a multiplication together with all the words before it.
    /// </summary>
    public static ulong Seal(ulong seal, ReadOnlySpan<byte> bytes)
    {
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..])
            seal = BitOperations.RotateLeft((seal ^ BinaryPrimitives.ReadUInt64LittleEndian(bytes)) * Multiplier, 29);
        return seal;
    }
}

/// <summary>
/// The two mapped meta slots. The valid one with the highest transaction is the file's state. Each says how large the slots are.
/// </summary>
internal sealed unsafe class MetaSlots
{
    // While one slot is written the other is valid: a reader sees both torn only when the writer comes to the second one between its two
    // looks.
    private const int Looks = 100;

    private readonly MappedRegion _region;

    private MetaSlots(MappedRegion region, uint slotBytes)
    {
        _region = region;
        SlotBytes = slotBytes;
    }

    public uint SlotBytes { get; }

    public byte* Slot(int index) => _region.Start + index * (nint)SlotBytes;

    public Meta? Read(int index, out string problem) => Meta.Read(Slot(index), index, SlotBytes, out problem);

    /// <summary>The transaction number in a slot, which may not be valid.</summary>
    public ulong TransactionIn(int index) => Volatile.Read(ref *(ulong*)(Slot(index) + MetaHeader.TransactionOffset));

    // The highest valid meta; null when there is none.
    private Meta? Winner()
    {
        Meta? even = Read(0, out _), odd = Read(1, out _);
        return even is null || (odd is not null && odd.Header.Transaction > even.Header.Transaction) ? odd : even;
    }

    /// <summary>The highest valid meta, in the presence of a writer; null when there is none.</summary>
    public Meta? PatientWinner()
    {
        Meta? winner = Winner();
        SpinWait wait = default;
        for (int look = 1; winner is null && look < Looks; look++)
        {
            wait.SpinOnce(sleep1Threshold: -1);
            winner = Winner();
        }
        return winner;
    }

    public void Unmap() => _region.Unmap();

    /// <summary>Maps the slots of a file that <see cref="MetaSearch"/> found, where the disk can read both.</summary>
    public static MetaSlots Find(IStorage storage)
    {
        MetaSearch found = new(storage);
        if (found.Unreadable is { } e)
            throw new MappedFileException(MappedFileReason.DamagedMeta, storage.Path,
                $"A meta slot cannot be read ({e.Message}): Salvage copies out what is whole.", inner: e);
        return new(storage.Map(0, 2L * found.SlotBytes), found.SlotBytes);
    }
}

/// <summary>
/// The first 32 bytes of a physical page; its records follow. The checksum is over all the bytes after it, seeded with the page number, so
/// that a page that was written to another page's place is seen. Enough is said here to read the records of a page without any meta.
/// </summary>
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
    // One bit for each of the first 32 records, 1 when it is free. The bits of further records are in the last bytes of the
    // page.
    [FieldOffset(FreeOffset)] public uint Free;

    public static uint ChecksumOf(ReadOnlySpan<byte> page, uint number) => Checksum32(page[ChecksumEnd..PageBytes], number);

    /// <summary>Where a copy of a page is in the file.</summary>
    public static long OffsetOf(uint slotBytes, int page, int copy) => 2L * slotBytes + (2L * page + copy) * PageBytes;

    /// <summary>How long a file of so many pages is at least.</summary>
    public static long FileBytes(uint slotBytes, long pages) => 2L * slotBytes + 2 * pages * PageBytes;

    public static ref PageHeader Of(Span<byte> page) => ref Unsafe.As<byte, PageHeader>(ref MemoryMarshal.GetReference(page));

    /// <summary>How many records are in a full page. A bit for each tells whether it is free: 32 of the bits are in the header.</summary>
    public static int PerPage(int recordBytes)
    {
        int records = Room / recordBytes;
        while (records * recordBytes + FreeBytesAtEnd(records) > Room) records--;
        return records;
    }

    /// <summary>Which byte of the page has the bit of a record, which is bit <c>record &amp; 7</c>.</summary>
    public static int FreeByteOf(int record, int perPage) =>
        record < BitsInHeader ? FreeOffset + record / 8 : PageBytes - FreeBytesAtEnd(perPage) + (record - BitsInHeader) / 8;

    public static bool IsFree(ReadOnlySpan<byte> page, int record, int perPage) =>
        (page[FreeByteOf(record, perPage)] >> (record & 7) & 1) != 0;

    /// <summary>The first free record from <paramref name="from"/> on; <paramref name="end"/> when there is none before that.</summary>
    public static int FirstFree(ReadOnlySpan<byte> page, int from, int end, int perPage)
    {
        while (from < end && !IsFree(page, from, perPage)) from = (from & 7) == 0 && page[FreeByteOf(from, perPage)] == 0 ? from + 8
            : from + 1;
        return Math.Min(from, end);
    }

    private static int FreeBytesAtEnd(int records) => (Math.Max(records - BitsInHeader, 0) + 7) / 8;

    private static uint Checksum32(ReadOnlySpan<byte> bytes, uint seed) => MemPrims.Checksum.Crc32C(seed, bytes);
}

/// <summary>A page as 64 lines of 64 bytes, one bit each: what was copied, what changed, what two copies have in common.</summary>
internal static unsafe class PageLines
{
    public const int Bytes = 64;
    public const ulong All = ulong.MaxValue, Header = 1;

    /// <summary>The lines that hold some bytes of a page; at least one byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(int offset, int length) => (2UL << ((offset + length - 1) / Bytes)) - (1UL << (offset / Bytes));

    /// <summary>
    /// Takes the first unbroken run of lines out of <paramref name="lines"/>, which has one, and tells where in the page it is.
    /// </summary>
    public static (int Offset, int Length) TakeRun(ref ulong lines)
    {
        int first = BitOperations.TrailingZeroCount(lines), count = BitOperations.TrailingZeroCount(~(lines >> first));
        // The carry goes through the run and clears it. A run up to the last line carries out of the word, and then nothing is left, as
        // it should be.
        lines &= lines + (1UL << first);
        return (first * Bytes, count * Bytes);
    }

    public static void Copy(byte* from, byte* to, ulong lines)
    {
        while (lines != 0)
        {
            (int offset, int length) = TakeRun(ref lines);
            // By the runtime: the first commit of a process would else wait for Block's kernels to be compiled.
            new ReadOnlySpan<byte>(from + offset, length).CopyTo(new(to + offset, length));
        }
    }
}

/// <summary>
/// The XOR of the checksums of two pages that differ in some lines only. A CRC is linear, so this is the CRC of the XOR of the two pages,
/// begun at 0 and without inversions. Lines in which the pages are alike are zeros there, and to pass zeros is to multiply by a power of
/// x.
/// </summary>
internal static unsafe class PageDifference
{
    private const int LineCount = PageHeader.PageBytes / PageLines.Bytes;

    // By what to multiply a CRC to pass n lines of zeros, which is x^(512 n). Kept here is x^(512 n − 33): the product of two reflected
    // numbers comes out multiplied by x, and its reduction multiplies it by x^32. Each power is made from x^7 by passing 64 n − 5 zero
    // bytes, since 512 n − 33 = 7 + 8 (64 n − 5).
    private static readonly uint[] s_past = [0,
        .. Enumerable.Range(1, LineCount).Select(lines => Continue(1u << (31 - 7), new byte[lines * PageLines.Bytes - 5]))];

    /// <param name="left">One page.</param>
    /// <param name="right">The other.</param>
    /// <param name="lines">Where they may differ, the header among them; its checksum itself does not count.</param>
    public static uint Of(byte* left, byte* right, ulong lines)
    {
        byte* difference = stackalloc byte[PageHeader.PageBytes];
        uint crc = 0;
        int end = 0;
        while (lines != 0)
        {
            (int start, int length) = PageLines.TakeRun(ref lines);
            for (int i = 0; i < length; i += PageLines.Bytes)
                (Vector512.Load(left + start + i) ^ Vector512.Load(right + start + i)).Store(difference + i);
            int skipped = start == 0 ? PageHeader.ChecksumEnd : 0;
            crc = Continue(Past(crc, start - end), new(difference + skipped, length - skipped));
            end = start + length;
        }
        return Past(crc, PageHeader.PageBytes - end);
    }

    private static uint Past(uint crc, int zeroBytes) => zeroBytes == 0 ? crc
        : BitOperations.Crc32C(0, Product(crc, s_past[zeroBytes / PageLines.Bytes]));

    // Takes and gives the CRC without the inversion at start and end.
    private static uint Continue(uint crc, ReadOnlySpan<byte> bytes) => ~Checksum.Crc32C(~crc, bytes);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Product(uint left, uint right)
    {
        if (Pclmulqdq.IsSupported) return Pclmulqdq.CarrylessMultiply(Vector128.CreateScalar((ulong)left),
            Vector128.CreateScalar((ulong)right), 0x00).ToScalar();
        if (Aes.IsSupported) return Aes.PolynomialMultiplyWideningLower(Vector64.CreateScalar((ulong)left),
            Vector64.CreateScalar((ulong)right)).ToScalar();
        ulong product = 0;
        for (int bit = 0; bit < 32; bit++) product ^= ((ulong)left << bit) & (0UL - ((right >> bit) & 1));
        return product;
    }
}
