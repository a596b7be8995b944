using MemPrims.Records.Format;
using MemPrims.Records.Storage;

namespace MemPrims.Tool.Files;

// What a file of records says about its records. The library has to be told which they are; the command reads it off the file.
internal static class RecordHeader
{
    public static ReadOnlySpan<byte> Magic => "MEMMREC1"u8;

    // Whether a second meta slot is where one can be. The first bytes of the file are damaged then.
    public static bool IsSecondSlotThere(string path)
    {
        using FileStorage file = FileStorage.Open(path, FileMode.Open, FileAccess.Read);
        return Places().Skip(1).Any(place => At(file, place).Magic == MetaHeader.RightMagic);
    }

    // The header of the file's valid meta slot; where none is valid, the first one whose fields can be.
    public static MetaHeader Read(string path)
    {
        using FileStorage file = FileStorage.Open(path, FileMode.Open, FileAccess.Read);
        try
        {
            return new MetaSearch(file).Winner.Header;
        }
        catch (MappedFileException) { }
        foreach (int place in Places())
            if (At(file, place) is var header && IsPossible(header)) return header;
        throw new DamagedDataException($"{path}: no meta slot tells which records the file holds. MappedFiles.Salvage, in "
            + "a program that has their type, copies out what is whole.", 0);
    }

    // The layout as far as the file tells it: versions in between and the variable fields are not known.
    public static RecordLayout ToLayout(in MetaHeader header, VariableField[] variables)
    {
        RecordVersion[] versions = new RecordVersion[header.RecordVersion];
        versions[header.ReadableFrom - 1] = new(header.ReadableHash, header.FixedBytes, header.RecordBytes);
        versions[header.RecordVersion - 1] = new(header.LayoutHash, header.FixedBytes, header.RecordBytes);
        return new($"record {header.RecordId:X8}", header.RecordId, header.ReadableFrom, versions, variables);
    }

    // Slot 0, then where slot 1 is for each size of a slot.
    private static IEnumerable<int> Places()
    {
        yield return 0;
        for (int place = MetaHeader.MinSlotBytes; place <= MetaHeader.MaxSlotBytes; place *= 2) yield return place;
    }

    private static bool IsPossible(in MetaHeader header) => header.Magic == MetaHeader.RightMagic
        && header.RecordVersion > 0 && header.ReadableFrom > 0 && header.ReadableFrom <= header.RecordVersion
        && header.RecordBytes is >= 8 and <= PageHeader.Room && header.FixedBytes > 0 && header.FixedBytes <= header.RecordBytes;

    private static MetaHeader At(FileStorage file, long place)
    {
        Span<byte> bytes = stackalloc byte[MetaHeader.Size];
        try
        {
            return file.Read(place, bytes) == bytes.Length ? MemoryMarshal.Read<MetaHeader>(bytes) : default;
        }
        catch (IOException)
        {
            // The other slot may be where the disk can read.
            return default;
        }
    }
}
