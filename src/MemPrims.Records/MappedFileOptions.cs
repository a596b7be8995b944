namespace MemPrims.Records;

/// <summary>How a file is created and written. The same options may be given to every call; each uses what concerns it.</summary>
public sealed record MappedFileOptions
{
    internal static MappedFileOptions Default { get; } = new();

    /// <summary>What a commit survives. It is a property of the writer, not of the file.</summary>
    public Durability Durability { get; init => field = Checked(value); } = Durability.PowerLoss;

    /// <summary>
    /// Only for a new file: the size of each of its two meta slots, a power of two from 4 KiB to 1 MiB. A slot holds one bit for each page
    /// and, after these bits, the bytes of a small commit: what does not fit is synced twice. A slot of 64 KiB has room for 523,264 pages
    /// (some 10 million records of 200 bytes), one of 4 KiB for 31,744. Only the part in use is written.
    /// </summary>
    public int MetaSlotBytes { get; init; } = 65536;

    /// <summary>
    /// How long <c>BeginWrite</c> waits for another transaction of this process, or for another writer of the file, before it fails with
    /// <see cref="MappedFileReason.Locked"/>. Zero: not at all. <see cref="Timeout.InfiniteTimeSpan"/>: for ever.
    /// </summary>
    public TimeSpan WriterTimeout { get; init => field = Checked(value, nameof(WriterTimeout)); } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long a commit waits for a pin, and a pin for a commit, before it fails with <see cref="MappedFileReason.Pinned"/>; and how long
    /// a read is tried again while commits overtake it, before it fails with <see cref="MappedFileReason.Locked"/>. Zero: not at all. <see
    /// cref="Timeout.InfiniteTimeSpan"/>: for ever.
    /// </summary>
    public TimeSpan PinTimeout { get; init => field = Checked(value, nameof(PinTimeout)); } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// For <see cref="Durability.ProcessCrash"/> on ext3 and ext4: commits store through a writable map in place of calls to the system,
    /// some four times as fast. The price: where the disk fails with an I/O error, or someone makes the file immutable, the system ends
    /// this process by a signal (SIGBUS). Without this option the commit throws an exception. On tmpfs, which has no disk to fail, commits
    /// always store through a map.
    /// </summary>
    public bool StoreThroughMap { get; init; }

    /// <summary>
    /// The most memory for the pages that one transaction changes. One that needs more fails with <see cref="MappedFileReason.Full"/>:
    /// commit in parts.
    /// </summary>
    public long MaxTransactionBytes
    {
        get;
        init => field = value >= 1 << 16 ? value
            : throw new ArgumentOutOfRangeException(nameof(MaxTransactionBytes), value, "A transaction needs 64 KiB at least.");
    } = 1L << 30;

    internal static Durability Checked(Durability value) => Enum.IsDefined(value) ? value
        : throw new ArgumentOutOfRangeException(nameof(Durability), value, "Durability is PowerLoss or ProcessCrash.");

    internal static TimeSpan Checked(TimeSpan value, string name) =>
        value >= TimeSpan.Zero || value == Timeout.InfiniteTimeSpan ? value
            : throw new ArgumentOutOfRangeException(name, value, "A timeout is zero, positive, or Timeout.InfiniteTimeSpan.");
}
