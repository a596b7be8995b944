namespace MemPrims.Sets;

// The values of a field as UTF-8, by ordinal and by name. An ordinal is given once and never changes. Names are hashed under a
// seed drawn anew for each process (BlockComparer), so that nobody can choose names that collide.
internal sealed class FacetNames
{
    private readonly List<ReadOnlyMemory<byte>> _names = [];
    private readonly Dictionary<ReadOnlyMemory<byte>, int> _ordinals = new(BlockComparer.Instance);

    public int Count => _names.Count;

    public ReadOnlyMemory<byte> this[int ordinal] => _names[ordinal];

    public bool TryFind(ReadOnlySpan<byte> name, out int ordinal) =>
        _ordinals.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(name, out ordinal);

    // The next ordinal for a name that is kept where it lies; false when the name has one already.
    public bool TryAdd(ReadOnlyMemory<byte> name)
    {
        if (!_ordinals.TryAdd(name, _names.Count)) return false;
        _names.Add(name);
        return true;
    }
}
