using System.Buffers.Binary;

namespace MemPrims.Records.Tests;

// A reader of the format written only from FORMAT.md, in the plainest way, and with its own CRC: the oracle for what the library wrote.
internal sealed class IndependentReader
{
    private readonly byte[] _file;
    private readonly int _slotBytes, _meta;

    public IndependentReader(byte[] file)
    {
        _file = file;
        _meta = -1;
        for (int s = 4096; s <= 1048576 && 2 * s <= file.Length; s *= 2)
        {
            for (int slot = 0; slot < 2; slot++)
            {
                if (!IsValid(slot * s, slot, s) || (_meta >= 0 && U64(slot * s + 48) < U64(_meta + 48))) continue;
                (_slotBytes, _meta) = (s, slot * s);
            }
        }
        if (_meta < 0) throw new InvalidDataException("no valid meta");
        // A small commit's writes, which the pages may have lost.
        for (int at = _meta + 128 + (Pages + 63) / 64 * 8, end = at + (int)U32(_meta + 80); at < end;)
        {
            (ulong place, int bytes) = (U64(at) / 256 * 64, (int)(U64(at) % 256) * 64);
            _file.AsSpan(at + 8, bytes).CopyTo(_file.AsSpan((int)place));
            at += 8 + bytes;
        }
        ulong sum = 0;
        for (int page = 0; page < Pages; page++)
        {
            int at = PageAt(page);
            if (Crc(at + 4, 4092, (uint)page) != U32(at)) throw new InvalidDataException($"page {page}: checksum");
            if (U32(at + 4) != page) throw new InvalidDataException($"page {page}: number {U32(at + 4)}");
            if (U64(at + 8) is 0 || U64(at + 8) > Transaction) throw new InvalidDataException($"page {page}: transaction {U64(at + 8)}");
            if (U32(at + 16) != U32(_meta + 16) || U32(at + 20) != ((uint)RecordBytes << 16 | U16(_meta + 20))
                || U16(at + 24) != FixedBytes) throw new InvalidDataException($"page {page}: header");
            if (U16(at + 26) != Math.Min(PerPage, Records - page * PerPage)) throw new InvalidDataException($"page {page}: count");
            sum += U32(at);
        }
        if (Enumerable.Range(0, Records).Count(IsFree) != U32(_meta + 84)) throw new InvalidDataException("free records");
        if (sum != U64(_meta + 56)) throw new InvalidDataException("sum of the pages' checksums");
    }

    public uint Format => U32(_meta + 8);

    public ulong Transaction => U64(_meta + 48);

    public int Records => (int)U32(_meta + 64);

    public int Pages => (int)U32(_meta + 68);

    public int RecordBytes => U16(_meta + 24);

    public int FixedBytes => U16(_meta + 26);

    public int SlotBytes => _slotBytes;

    private static int FreeBytes(int records) => records <= 32 ? 0 : (records - 32 + 7) / 8;

    private int PerPage => PerPageOf(RecordBytes);

    private static int PerPageOf(int recordBytes)
    {
        int records = 4064 / recordBytes;
        while (records * recordBytes + FreeBytes(records) > 4064) records--;
        return records;
    }

    public bool IsFree(int id)
    {
        int record = id % PerPage, page = PageAt(id / PerPage), at = record < 32 ? page + 28 + record / 8
            : page + 4096 - FreeBytes(PerPage) + (record - 32) / 8;
        return (_file[at] >> record % 8 & 1) != 0;
    }

    public bool IsActiveB(int page) => (U64(_meta + 128 + page / 64 * 8) >> (page & 63) & 1) != 0;

    public int PageAt(int page) => 2 * _slotBytes + (2 * page + (IsActiveB(page) ? 1 : 0)) * 4096;

    public ReadOnlySpan<byte> Record(int id) => _file.AsSpan(PageAt(id / PerPage) + 32 + id % PerPage * RecordBytes, RecordBytes);

    public ReadOnlySpan<byte> Variable(int id, int descriptor)
    {
        ReadOnlySpan<byte> record = Record(id);
        return record.Slice(FixedBytes + BinaryPrimitives.ReadUInt16LittleEndian(record[descriptor..]),
            BinaryPrimitives.ReadUInt16LittleEndian(record[(descriptor + 2)..]));
    }

    public static uint Crc32C(ReadOnlySpan<byte> bytes, uint seed)
    {
        uint crc = ~seed;
        foreach (byte b in bytes)
        {
            crc ^= b;
            for (int bit = 0; bit < 8; bit++) crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
        }
        return ~crc;
    }

    private bool IsValid(int at, int slot, int s)
    {
        if (!_file.AsSpan(at, 8).SequenceEqual("MEMMREC1"u8) || U32(at + 8) is not (1 or 2) || U32(at + 12) != s
            || U32(at + 28) != 4096) return false;
        if (U64(at + 48) is 0 or > 1UL << 62 || (U64(at + 48) & 1) != (ulong)slot || U32(at + 68) > (s - 128) * 8) return false;
        // Of records that fit a page, as many pages as they need.
        int recordBytes = U16(at + 24);
        if (recordBytes is 0 or > 4064 || recordBytes % 8 != 0 || U16(at + 26) is 0 || U16(at + 26) > recordBytes
            || U32(at + 64) > int.MaxValue
            || U32(at + 68) != (U32(at + 64) + (uint)PerPageOf(recordBytes) - 1) / (uint)PerPageOf(recordBytes)) return false;
        int bitmap = (int)(U32(at + 68) + 63) / 64 * 8;
        if (Crc(at + 128, bitmap, Crc(at, 124, 0)) != U32(at + 124)) return false;
        if (U32(at + 8) == 1) return _file.AsSpan(at + 80, 44).IndexOfAnyExcept((byte)0) < 0;
        int writes = (int)U32(at + 80);
        return U32(at + 84) <= U32(at + 64) && _file.AsSpan(at + 96, 28).IndexOfAnyExcept((byte)0) < 0 && writes <= s - 128 - bitmap
            && SealOf(at + 128 + bitmap, writes, SealOf(at + 128, bitmap, SealOf(at, 88, 0))) == U64(at + 88);
    }

    private ulong SealOf(int at, int length, ulong seal)
    {
        for (int end = at + length; at < end; at += 8) seal = ulong.RotateLeft((seal ^ U64(at)) * 0x9E3779B97F4A7C15, 29);
        return seal;
    }

    private uint Crc(int at, int length, uint seed) => Crc32C(_file.AsSpan(at, length), seed);

    private ushort U16(int at) => BinaryPrimitives.ReadUInt16LittleEndian(_file.AsSpan(at));

    private uint U32(int at) => BinaryPrimitives.ReadUInt32LittleEndian(_file.AsSpan(at));

    private ulong U64(int at) => BinaryPrimitives.ReadUInt64LittleEndian(_file.AsSpan(at));
}
