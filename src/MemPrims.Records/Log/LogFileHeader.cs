namespace MemPrims.Records.Log;

// The first 64 bytes of each file of a log. They are written once and synced before the file gets its name.
internal static class LogFileHeader
{
    public const int Bytes = 64;
    private const ulong Magic = 0x3130_474F_4C50_4D89;      // 0x89 "MPLOG01"
    private const int Version = 1, CheckAt = 28;

    // No file begins after it, and a file is shorter than the system's addresses: so no position in one is near the end of the numbers.
    public const long LastFirst = 1L << 62;

    // Whether a file of a log can begin there.
    public static bool IsPlace(long first) => first is >= 0 and <= LastFirst && (first & (LogFrame.Alignment - 1)) == 0;

    // What the checks of all headers of a log begin with.
    public static uint SeedOf(ulong id)
    {
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, id);
        return Checksum.Crc32C(bytes);
    }

    public static byte[] Of(ulong id, long first)
    {
        byte[] header = new byte[Bytes];
        BinaryPrimitives.WriteUInt64LittleEndian(header, Magic);
        BinaryPrimitives.WriteUInt64LittleEndian(header.AsSpan(8), id);
        BinaryPrimitives.WriteInt64LittleEndian(header.AsSpan(16), first);
        BinaryPrimitives.WriteInt32LittleEndian(header.AsSpan(24), Version);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(CheckAt), Checksum.Crc32C(header.AsSpan(0, CheckAt)));
        return header;
    }

    // The log's id; throws where the file is none of a log, or not the one that its name says.
    public static ulong Check(ReadOnlySpan<byte> header, long first, string path)
    {
        if (!IsPlace(first))
            throw new MappedFileException(MappedFileReason.NotThisFormat, path, "The file is named by a position where none of a log can "
                + "begin: that is a multiple of 8, and at most 2^62. Move it away, or Salvage the others");
        if (header.Length < Bytes || BinaryPrimitives.ReadUInt64LittleEndian(header) != Magic)
            throw new MappedFileException(MappedFileReason.NotThisFormat, path, header.IsEmpty
                ? "The file is empty. A log never leaves one: another program made it or cut it. Restore it, move it away, or Salvage"
                : "The file has a log's name and is none. Move it away, or Salvage the others");
        if (BinaryPrimitives.ReadUInt32LittleEndian(header[CheckAt..]) != Checksum.Crc32C(header[..CheckAt]))
            throw new DamagedDataException($"{path}: the header of the file has rotted. Restore a copy of the log, or Salvage it.", first);
        if (BinaryPrimitives.ReadInt32LittleEndian(header[24..]) is var version and not Version)
            throw new MappedFileException(MappedFileReason.Newer, path, "A newer version wrote this log. Use that one", expected: Version,
                actual: (ulong)version);
        if (BinaryPrimitives.ReadInt64LittleEndian(header[16..]) is var begins && begins != first)
            throw new DamagedDataException($"{path}: the file begins at {begins} of its log, and its name says {first}. Rename it back.",
                first);
        return BinaryPrimitives.ReadUInt64LittleEndian(header[8..]);
    }
}
