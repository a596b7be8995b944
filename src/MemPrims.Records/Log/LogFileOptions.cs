namespace MemPrims.Records;

/// <summary>How a log is written and followed. They are the opener's and not the log's: any call may give other ones.</summary>
public sealed record LogFileOptions
{
    internal static LogFileOptions Default { get; } = new();

    /// <summary>
    /// What <see cref="LogFile.Sync"/> promises. With <see cref="Durability.ProcessCrash"/> it hands the frames to the system and does not
    /// wait for the disk: they survive the end of the process, and may go with the power.
    /// </summary>
    public Durability Durability { get; init => field = MappedFileOptions.Checked(value); } = Durability.PowerLoss;

    /// <summary>
    /// How long a file of the log becomes before the next one begins: 64 MiB. <see cref="LogFile.CutBefore"/> drops whole files. A frame
    /// that is longer has a file of its own. At least 4,096.
    /// </summary>
    public long FileBytes
    {
        get;
        init => field = value is >= 4096 and <= 1L << 40 ? value
            : throw new ArgumentOutOfRangeException(nameof(FileBytes), value, "A file of a log has from 4 KiB to 1 TiB.");
    } = 64 << 20;

    /// <summary>
    /// How long opening for writing waits for another writer's end, 10 seconds unless told, before it fails with
    /// <see cref="MappedFileReason.Locked"/>. Zero: not at all. <see cref="Timeout.InfiniteTimeSpan"/>: for ever.
    /// </summary>
    public TimeSpan WriterTimeout { get; init => field = MappedFileOptions.Checked(value, nameof(WriterTimeout)); }
        = TimeSpan.FromSeconds(10);
}
