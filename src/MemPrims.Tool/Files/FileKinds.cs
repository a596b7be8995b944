using MemPrims.Pages;
using MemPrims.Records.Log;
using MemPrims.Sets;

namespace MemPrims.Tool.Files;

// Which kind a file is, by its first bytes: FORMAT.md, LOG-FORMAT.md and LAYOUT.md tell them. The sets are those of the Roaring format,
// which has no magic but a cookie.
internal static class FileKinds
{
    private const int HeadBytes = 16;

    public static StoredFile Open(string path, string? layoutPath)
    {
        StoredFile opened = OpenAny(path, layoutPath);
        return layoutPath is null || opened is RecordsFile ? opened
            : throw new UsageException($"{path} is {opened.Kind}: only files of records have a layout. Leave --layout out.");
    }

    private static StoredFile OpenAny(string path, string? layoutPath)
    {
        if (Directory.Exists(path)) return LogIn(path);
        FileInfo file = new(path);
        if (!file.Exists) throw new UsageException($"There is no file {path}.");
        using FileStream stream = Read(path);
        // Some files of the system have no length, and reading them waits; others have a length, and nothing comes.
        long length = stream.Length;
        Span<byte> head = stackalloc byte[(int)Math.Min(length, HeadBytes)];
        try
        {
            head = head[..stream.ReadAtLeast(head, head.Length, throwOnEndOfStream: false)];
        }
        catch (IOException) when (RecordHeader.IsSecondSlotThere(path))
        {
            return new RecordsFile(path, layoutPath);
        }
        if (head.IsEmpty) throw new UsageException($"{path} is empty.");
        if (head.StartsWith("MPf2"u8)) return new SortedPagesFile(path);
        if (head.StartsWith("MPFACETS"u8)) return new FacetsFile(path);
        if (head[0] == 0x89 && head[1..].StartsWith("MPLOG01"u8)) return LogIn(Path.GetDirectoryName(file.FullName)!);
        if (head.StartsWith(RecordHeader.Magic) || RecordHeader.IsSecondSlotThere(path)) return new RecordsFile(path, layoutPath);
        if (IsCookie(head)) return new SetFile(path, isWide: false);
        if (IsSet64(head, length)) return new SetFile(path, isWide: true);
        throw new UsageException($"{path} is nothing that MemPrims writes. It begins with {Printable.Hex(head)}.");
    }

    // The file, beside whoever writes it. One of pages is refused while it is in use, and what is no file always.
    public static FileStream Read(string path)
    {
        // Opening a pipe would wait for its writer, so it is not opened where the system tells before that it is one.
        FileStream? file = FileLife.IsOrdinary(path)
            ? new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete) : null;
        if (file is { CanSeek: true }) return file;
        file?.Dispose();
        throw new UsageException($"{path} is a {(Directory.Exists(path) ? "folder" : "pipe or a device")}, no file. Give a file: what "
            + "comes out of a pipe can be written to one first.");
    }

    private static LogFolderFile LogIn(string folder) =>
        Directory.EnumerateFiles(folder).Any(static path => LogFolder.PositionIn(path) >= 0) ? new(folder) : throw new UsageException(
            $"The folder {folder} has no log: the files of one are named by {LogFolder.Digits} digits and .log.");

    private static bool IsCookie(ReadOnlySpan<byte> bytes) => bytes.Length >= sizeof(uint)
        && BinaryPrimitives.ReadUInt32LittleEndian(bytes) is var cookie
            && (cookie == SetHeader.Plain || (ushort)cookie == SetHeader.WithRuns);

    // A count of sets, and each after the upper half of its ids.
    private static bool IsSet64(ReadOnlySpan<byte> bytes, long length) => bytes.Length >= sizeof(ulong)
        && BinaryPrimitives.ReadUInt64LittleEndian(bytes) is <= 1UL << 32 and var count
        && (count == 0 ? length == sizeof(ulong) : IsCookie(bytes[Math.Min(bytes.Length, sizeof(ulong) + sizeof(uint))..]));
}
