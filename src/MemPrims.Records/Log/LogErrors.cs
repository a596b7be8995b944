using System.Diagnostics.CodeAnalysis;
using MemPrims.Records.Storage;

namespace MemPrims.Records.Log;

/// <summary>What is thrown, in words. Kept out of line.</summary>
internal static class LogErrors
{
    public static DamagedDataException Rotten(string path, long position) => new(
        $"{path}: no sound frame begins at {position}, and a later one testifies that one was there: the bytes have rotted. Restore a "
            + "copy of the log, or Salvage it.", position);

    [DoesNotReturn]
    public static void NoFrame(LogRow row, long position)
    {
        if (position < row.Start) throw new ArgumentOutOfRangeException(nameof(position), position,
            $"The log begins at {row.Start}: CutBefore dropped what was before, or no frame was ever there.");
        throw new DamagedDataException($"{row.Folder.Path}: no sound frame with a payload begins at {position}. Either the position is "
            + "none that Append returned, or the bytes have rotted: Verify tells.", position);
    }

    [DoesNotReturn]
    public static void BehindTheEnd(long position, long end) =>
        throw new ArgumentOutOfRangeException(nameof(position), position, $"The log ends at {end}: no frame begins there yet.");

    [DoesNotReturn]
    public static void TooLong(long length) => throw new ArgumentException(
        $"A payload has at most {LogFrame.MaxPayload} bytes, and this one {length}. Append it in parts.", "payload");

    public static MappedFileException ReadOnly(string path) =>
        new(MappedFileReason.ReadOnly, path, "The log was opened for reading. Open it by Open");

    public static MappedFileException Locked(string path) => new(MappedFileReason.Locked, path,
        "The log has another writer, in this process or another. Wait for its end, or read by OpenRead");

    public static MappedFileException Poisoned(string path, Exception why) => new(MappedFileReason.Poisoned, path,
        "A sync or the naming of a file failed, so what is on the disk is unknown, and nothing more is written. Look at the disk, "
            + $"dispose the log, and open it again: Open goes on with what is there ({why.Message})", inner: why);

    /// <summary>The exception to throw in place of one of the system's.</summary>
    public static Exception Told(Exception e, string path, string attempt) => IoErrors.Of(e, path, attempt) ?? e;
}
