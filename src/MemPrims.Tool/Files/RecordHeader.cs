using System.Buffers.Binary;
using MemPrims.Records;

namespace MemPrims.Tool.Files;

/// <summary>
/// What a file of records says about its records, as FORMAT.md lays it out. The library has to be told which records are in a file; the
/// command reads that off the file first. A slot with a right checksum is preferred; without one, a slot whose fields can be.
/// </summary>
internal sealed record RecordHeader(uint Id, ushort Version, ushort ReadableFrom, ushort RecordBytes, ushort FixedBytes, ulong Hash,
    ulong ReadableHash, int SlotBytes, bool IsWhole)
{
    private const int HeaderBytes = 128, ChecksumAt = 124, LeastSlot = 4096, MostSlot = 1 << 20, MostRecordBytes = 4064;

    public static ReadOnlySpan<byte> Magic => "MEMMREC1"u8;

    /// <summary>Whether a second meta slot is where one can be. The first bytes of the file are damaged then.</summary>
    public static bool IsSecondSlotThere(string path)
    {
        using FileStream file = FileKinds.Read(path);
        return Places().Skip(1).Any(place => At(file, place, HeaderBytes) is { } bytes && bytes.AsSpan().StartsWith(Magic));
    }

    public static RecordHeader Read(string path)
    {
        using FileStream file = FileKinds.Read(path);
        RecordHeader? best = null;
        foreach (int place in Places())
            if (Parse(file, place) is { } found && (best is null || (found.IsWhole && !best.IsWhole))) best = found;
        return best ?? throw new DamagedDataException($"{path}: no meta slot tells which records the file holds. MappedFiles.Salvage, in "
            + "a program that has their type, copies out what is whole.", 0);
    }

    /// <summary>The layout as far as the file tells it: versions in between and the variable fields are not known.</summary>
    public RecordLayout ToLayout(VariableField[] variables)
    {
        RecordVersion[] versions = new RecordVersion[Version];
        versions[ReadableFrom - 1] = new(ReadableHash, FixedBytes, RecordBytes);
        versions[Version - 1] = new(Hash, FixedBytes, RecordBytes);
        return new($"record {Id:X8}", Id, ReadableFrom, versions, variables);
    }

    // Slot 0, then where slot 1 is for each size of a slot.
    private static IEnumerable<int> Places()
    {
        yield return 0;
        for (int place = LeastSlot; place <= MostSlot; place *= 2) yield return place;
    }

    private static RecordHeader? Parse(FileStream file, int place)
    {
        if (At(file, place, HeaderBytes) is not { } bytes || !bytes.AsSpan().StartsWith(Magic)) return null;
        RecordHeader header = new(U32(bytes, 16), U16(bytes, 20), U16(bytes, 22), U16(bytes, 24), U16(bytes, 26), U64(bytes, 32),
            U64(bytes, 40), (int)Math.Min(U32(bytes, 12), MostSlot), IsWhole: false);
        bool isPossible = header.Version > 0 && header.ReadableFrom > 0 && header.ReadableFrom <= header.Version
            && header.RecordBytes is >= 8 and <= MostRecordBytes && header.FixedBytes > 0 && header.FixedBytes <= header.RecordBytes;
        if (!isPossible) return null;
        long bitmapBytes = (U32(bytes, 68) + 63L) / 64 * sizeof(ulong);
        bool isWhole = bitmapBytes <= header.SlotBytes && At(file, place + HeaderBytes, (int)bitmapBytes) is { } bitmap
            && Checksum.Crc32C(Checksum.Crc32C(bytes.AsSpan(0, ChecksumAt)), bitmap) == U32(bytes, ChecksumAt);
        return header with { IsWhole = isWhole };
    }

    private static byte[]? At(FileStream file, long place, int length)
    {
        byte[] bytes = new byte[length];
        try
        {
            return RandomAccess.Read(file.SafeFileHandle, bytes, place) == length ? bytes : null;
        }
        catch (IOException)
        {
            // The other slot may be where the disk can read.
            return null;
        }
    }

    private static ushort U16(byte[] bytes, int at) => BinaryPrimitives.ReadUInt16LittleEndian(bytes.AsSpan(at));

    private static uint U32(byte[] bytes, int at) => BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(at));

    private static ulong U64(byte[] bytes, int at) => BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(at));
}
