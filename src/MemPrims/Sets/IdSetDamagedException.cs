namespace MemPrims.Sets;

/// <summary>Bytes that should hold a set are damaged, or not a set at all.</summary>
public sealed class IdSetDamagedException : DamagedDataException
{
    private readonly string _damage;

    internal IdSetDamagedException(long offset, string damage)
        : base($"{damage} (at byte {offset}). The bytes are damaged or not a Roaring set: restore them or build the set again.", offset) =>
        _damage = damage;

    // The same damage, in a set that starts `start` bytes after the first one given.
    internal IdSetDamagedException Behind(long start) => new(Offset + start, _damage);
}
