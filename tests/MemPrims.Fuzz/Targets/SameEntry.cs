namespace MemPrims.Fuzz;

/// <summary>The order of keys, and whether two entries are the same.</summary>
internal sealed class SameEntry : IComparer<byte[]>, IEqualityComparer<KeyValuePair<byte[], byte[]>>
{
    public static SameEntry Instance { get; } = new();

    public int Compare(byte[]? x, byte[]? y) => x.AsSpan().SequenceCompareTo(y);

    public bool Equals(KeyValuePair<byte[], byte[]> x, KeyValuePair<byte[], byte[]> y) =>
        x.Key.AsSpan().SequenceEqual(y.Key) && x.Value.AsSpan().SequenceEqual(y.Value);

    public int GetHashCode(KeyValuePair<byte[], byte[]> entry) => entry.Key.Length;
}
