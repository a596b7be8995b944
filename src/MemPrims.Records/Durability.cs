namespace MemPrims.Records;

/// <summary>What a commit that returned has survived.</summary>
public enum Durability
{
    /// <summary>Loss of power. A small commit syncs once, a large one twice.</summary>
    PowerLoss,

    /// <summary>
    /// The end of the process, <c>kill -9</c> included. Nothing is synced: power loss may leave a file that <c>Open</c> refuses and
    /// <c>Salvage</c> reads. See <see cref="MappedFileOptions.StoreThroughMap"/> for how the commit writes.
    /// </summary>
    ProcessCrash,
}
