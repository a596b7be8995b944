namespace MemPrims.Records;

/// <summary>What a commit that returned has survived.</summary>
public enum Durability
{
    /// <summary>Loss of power: two syncs per commit.</summary>
    PowerLoss,

    /// <summary>
    /// The end of the process, <c>kill -9</c> included: no sync. Power loss may leave a file that <c>Open</c> refuses and <c>Salvage</c> reads.
    /// On ext4 and tmpfs the commit stores through a writable map: a failing disk then ends the process, as it does one that reads.
    /// </summary>
    ProcessCrash,
}

/// <summary>How a file is created and written. The same options may be given to every call; each uses what concerns it.</summary>
public sealed record MappedFileOptions
{
    internal static MappedFileOptions Default { get; } = new();

    /// <summary>What a commit survives. It is a property of the writer, not of the file.</summary>
    public Durability Durability { get; init; } = Durability.PowerLoss;

    /// <summary>
    /// Only for a new file: the size of each of its two meta slots, a power of two from 4 KiB to 1 MiB. It bounds the file: a slot of 4 KiB has
    /// room for 31,744 pages (some 600,000 records of 200 bytes), one of 1 MiB for 8 million.
    /// </summary>
    public int MetaSlotBytes { get; init; } = 4096;

    /// <summary>
    /// How long a commit waits for another process's pin, and a pin for a commit under way, before it fails with <see cref="MappedFileReason.Pinned"/>;
    /// and how long a read is tried again while commits pass it by, before it fails with <see cref="MappedFileReason.Locked"/>.
    /// </summary>
    public TimeSpan PinTimeout { get; init; } = TimeSpan.FromSeconds(10);
}
