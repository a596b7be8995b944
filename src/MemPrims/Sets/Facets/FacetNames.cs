namespace MemPrims.Sets;

// The values of a field as UTF-8, by ordinal and by name. An ordinal is given once and never changes. Names are hashed as .NET hashes
// strings, by a key drawn anew for each process, so that nobody can choose names that collide.
internal sealed class FacetNames
{
    private readonly List<ReadOnlyMemory<byte>> _names = [];
    private readonly Dictionary<ReadOnlyMemory<byte>, int> _ordinals = new(ByBytes.Instance);

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

    private sealed class ByBytes
        : IEqualityComparer<ReadOnlyMemory<byte>>, IAlternateEqualityComparer<ReadOnlySpan<byte>, ReadOnlyMemory<byte>>
    {
        public static readonly ByBytes Instance = new();

        public bool Equals(ReadOnlyMemory<byte> x, ReadOnlyMemory<byte> y) => Block.Equal(x.Span, y.Span);

        public bool Equals(ReadOnlySpan<byte> alternate, ReadOnlyMemory<byte> other) => Block.Equal(alternate, other.Span);

        public int GetHashCode([DisallowNull] ReadOnlyMemory<byte> obj) => GetHashCode(obj.Span);

        public int GetHashCode(ReadOnlySpan<byte> alternate)
        {
            int hash = string.GetHashCode(MemoryMarshal.Cast<byte, char>(alternate));
            return (alternate.Length & 1) == 0 ? hash : HashCode.Combine(hash, alternate[^1]);
        }

        public ReadOnlyMemory<byte> Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
    }
}
