using System.Buffers.Binary;
using MemPrims.Records.Storage;

namespace MemPrims.Records.Log;

/// <summary>
/// One file of a log, mapped as long as it may become. Its byte n is the log's byte <see cref="First"/> + n.
/// </summary>
internal sealed unsafe class LogPart : IDisposable
{
    private readonly long _most;
    private readonly List<MappedRegion> _outgrown = [];
    private MappedRegion _map;
    private nint _start;
    private readonly Lock _mapping = new();
    private bool _isGone;

    public LogPart(IStorage storage, long first, long most)
    {
        (Storage, First, _most) = (storage, first, most);
        _map = Map(storage.Length);
        _start = (nint)_map.Start;
    }

    public IStorage Storage { get; }

    public long First { get; }

    public long FirstFrame => First + LogFileHeader.Bytes;

    /// <summary>
    /// Where the bytes of the file end; its begin once it was cut. What lies after may be mapped and must not be read.
    /// </summary>
    public long FileEnd
    {
        get
        {
            try
            {
                return First + Storage.Length;
            }
            catch (ObjectDisposedException) when (Volatile.Read(ref _isGone))
            {
                return First;
            }
        }
    }

    /// <summary>Where the next file begins; the largest number while there is none.</summary>
    public long End
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    } = long.MaxValue;

    public byte* At(long position) => (byte*)Volatile.Read(ref _start) + (position - First);

    /// <summary>
    /// Maps the file up to there, if it is not, and returns that place; where the file was cut, it is the end of what is mapped. What was
    /// mapped stays so: callers have spans of it. The writer comes here, and who reads all beside it.
    /// </summary>
    public long Reach(long end)
    {
        if (end - First <= Volatile.Read(ref _map).Length) return end;
        lock (_mapping)
        {
            if (end - First <= _map.Length) return end;
            if (_isGone) return First + _map.Length;
            MappedRegion map = Map(end - First);
            _outgrown.Add(_map);
            // The addresses first: whoever sees the new length reads there.
            Volatile.Write(ref _start, (nint)map.Start);
            Volatile.Write(ref _map, map);
            return end;
        }
    }

    public void Close() => Storage.Dispose();

    /// <summary>
    /// Closes the file. On Linux spans of it read zeros from now on; elsewhere it stays mapped while something refers to it.
    /// </summary>
    public void Dispose()
    {
        lock (_mapping) Volatile.Write(ref _isGone, true);
        Storage.Dispose();
        // A loop that stands in this file goes on reading there, until it sees that the file was cut.
        foreach (MappedRegion map in (ReadOnlySpan<MappedRegion>)[.. _outgrown, _map]) map.Unmap();
    }

    // Linux maps what a file does not have yet; elsewhere a map ends with its file.
    private MappedRegion Map(long length) =>
        OperatingSystem.IsLinux() ? Storage.Map(0, Math.Max(length, _most))
        : length > 0 ? Storage.Map(0, length) : new(null, 0, this);
}

/// <summary>The first 64 bytes of each file of a log. They are written once and synced before the file gets its name.</summary>
internal static class LogFileHeader
{
    public const int Bytes = 64;
    private const ulong Magic = 0x3130_474F_4C50_4D89;      // 0x89 "MPLOG01"
    private const int Version = 1, CheckAt = 28;

    /// <summary>
    /// No file begins after it, and a file is shorter than the system's addresses: so no position in one is near the end of the numbers.
    /// </summary>
    public const long LastFirst = 1L << 62;

    /// <summary>Whether a file of a log can begin there.</summary>
    public static bool IsPlace(long first) => first is >= 0 and <= LastFirst && (first & (LogFrame.Alignment - 1)) == 0;

    /// <summary>What the checks of all headers of a log begin with.</summary>
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

    /// <summary>The log's id; throws where the file is none of a log, or not the one that its name says.</summary>
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
