namespace MemPrims.Records.Log;

// What is thrown, in words. Kept out of line.
internal static class LogErrors
{
    public static DamagedDataException Rotten(string path, long position) => new(
        $"{path}: no sound frame begins at {position}, and a later one testifies that one was there: the bytes have rotted. Restore a "
            + "copy of the log, or Salvage it.", position);

    public static DamagedDataException FileGone(string path, long position) => new(
        $"{path}: the log goes on in a file {LogFolder.NameOf(position)}, which is not there. Put it back, restore a copy of the log, or "
            + "Salvage it.", position);

    public static FileNotFoundException NoLog(string path) =>
        new($"There is no log in {path}. Give the folder of one, or make one by Create.", path);

    [DoesNotReturn]
    public static void ThrowNoFrame(LogSegments log, long position)
    {
        if (position < log.Start) throw new ArgumentOutOfRangeException(nameof(position), position,
            $"The log begins at {log.Start}: CutBefore dropped what was before, or no frame was ever there.");
        throw new DamagedDataException($"{log.Folder.Path}: no sound frame with a payload begins at {position}. Either the position is "
            + "none that Append returned, or the bytes have rotted: Verify tells.", position);
    }

    [DoesNotReturn]
    public static void ThrowBehindTheEnd(long position, long end) =>
        throw new ArgumentOutOfRangeException(nameof(position), position, $"The log ends at {end}: no frame begins there yet. "
            + "A position from elsewhere, such as an index's checkpoint, is of another log or ahead of this one: begin at 0.");

    [DoesNotReturn]
    public static void ThrowNotYet(long position, long end) =>
        throw new ArgumentOutOfRangeException(nameof(position), position, $"The log ends at {end}: no frame begins there yet. "
            + "Read takes a position that Append of this log has returned. A position from elsewhere may be of another log, or of frames "
            + "that a loss of power took.");

    [DoesNotReturn]
    public static void ThrowTooLong(long length) => throw new ArgumentException(
        $"A payload has at most {LogFrame.MaxPayload} bytes, and this one {length}. Append it in parts.", "payload");

    public static MappedFileException AtTheLastPosition(string path) =>
        new(MappedFileReason.Full, path, "The log's positions are used up: begin a new log");

    public static MappedFileException LinkToNothing(string path) => new(MappedFileReason.NotThisFormat, path,
        "A symbolic link is there, and no file where it leads. Put the file back, or remove the link");

    public static MappedFileException FileForFolder(string path) => new(MappedFileReason.NotThisFormat, path,
        "A file is there, and a log is a folder. Give the path of a folder, or of one that is to be made");

    public static MappedFileException ReadOnly(string path) =>
        new(MappedFileReason.ReadOnly, path, "The log was opened for reading. Open it by Open");

    public static MappedFileException Locked(string path) => new(MappedFileReason.Locked, path,
        "The log has another writer, in this process or another. Wait for its end, or read by OpenRead");

    public static MappedFileException Replaced(string path) => new(MappedFileReason.Locked, path,
        "The log's folder, its file \"lock\" or one with frames was moved, deleted or replaced while the log was open, so that another "
            + "writer may be at work. Nothing more is written here. Dispose the log, put the folder in order, and open it again");

    public static MappedFileException Failed(string path, Exception why) =>
        why is MappedFileException { Reason: MappedFileReason.Locked } e ? new(e.Reason, path, e.What, inner: e) : Poisoned(path, why);

    public static MappedFileException Poisoned(string path, Exception why) => new(MappedFileReason.Poisoned, path,
        "A sync or the naming of a file failed, so what is on the disk is unknown, and nothing more is written. Look at the disk, "
            + $"dispose the log, and open it again: Open goes on with what is there ({why.Message})", inner: why);
}
