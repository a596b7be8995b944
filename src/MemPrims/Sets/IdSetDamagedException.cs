namespace MemPrims.Sets;

/// <summary>Bytes that should hold a set are damaged, or not a set at all.</summary>
public sealed class IdSetDamagedException : IOException
{
    internal IdSetDamagedException(long offset, string message) : base($"{message} (at byte {offset}). The bytes are damaged or not a Roaring set: restore them or build the set again.") =>
        Offset = offset;

    /// <summary>The byte, counted from the first one given, at which it shows.</summary>
    public long Offset { get; }
}
