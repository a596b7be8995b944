namespace MemPrims;

/// <summary>
/// Order and equality of blocks of bytes for what .NET sorts and looks up: <c>Array.Sort(keys, BlockComparer.Instance)</c>,
/// <c>new Dictionary&lt;byte[], int&gt;(BlockComparer.Instance)</c>. The order is that of
/// <see cref="Block.Compare(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>; null comes before all. Hash codes are those of
/// <see cref="Block.Hash(ReadOnlySpan{byte}, ulong)"/> under a seed that each process draws, so that strangers can't choose keys that
/// collide; they must not be kept.
/// A dictionary or set is asked by a span: <c>names.GetAlternateLookup&lt;ReadOnlySpan&lt;byte&gt;&gt;()</c>.
/// </summary>
public sealed class BlockComparer : IComparer<byte[]?>, IEqualityComparer<byte[]?>, IComparer<ReadOnlyMemory<byte>>,
    IEqualityComparer<ReadOnlyMemory<byte>>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>,
    IAlternateEqualityComparer<ReadOnlySpan<byte>, ReadOnlyMemory<byte>>
{
    private static readonly ulong s_seed = (ulong)Random.Shared.NextInt64() ^ (ulong)Random.Shared.NextInt64() << 1;

    private BlockComparer()
    {
    }

    /// <summary>The only one there is.</summary>
    public static BlockComparer Instance { get; } = new();

    /// <summary>Orders two blocks; null is less than any other.</summary>
    public int Compare(byte[]? x, byte[]? y) =>
        x is null || y is null ? (x is null ? 0 : 1) - (y is null ? 0 : 1) : Block.Compare(x, y);

    /// <summary>Orders two blocks.</summary>
    public int Compare(ReadOnlyMemory<byte> x, ReadOnlyMemory<byte> y) => Block.Compare(x.Span, y.Span);

    /// <summary>Whether two blocks have the same bytes, or both are null.</summary>
    public bool Equals(byte[]? x, byte[]? y) => x is null || y is null ? ReferenceEquals(x, y) : Block.Equal(x, y);

    /// <summary>Whether two blocks have the same bytes.</summary>
    public bool Equals(ReadOnlyMemory<byte> x, ReadOnlyMemory<byte> y) => Block.Equal(x.Span, y.Span);

    /// <summary>Whether two blocks have the same bytes; null has none, and is no empty one.</summary>
    public bool Equals(ReadOnlySpan<byte> alternate, byte[]? other) => other is not null && Block.Equal(alternate, other);

    /// <summary>Whether two blocks have the same bytes.</summary>
    public bool Equals(ReadOnlySpan<byte> alternate, ReadOnlyMemory<byte> other) => Block.Equal(alternate, other.Span);

    /// <summary>A hash code of a block.</summary>
    public int GetHashCode([DisallowNull] byte[]? obj)
    {
        ArgumentNullException.ThrowIfNull(obj);
        return GetHashCode(obj.AsSpan());
    }

    /// <summary>A hash code of a block.</summary>
    public int GetHashCode(ReadOnlyMemory<byte> obj) => GetHashCode(obj.Span);

    /// <summary>A hash code of a block.</summary>
    public int GetHashCode(ReadOnlySpan<byte> alternate) => (int)Block.Hash(alternate, s_seed);

    byte[] IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>.Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();

    ReadOnlyMemory<byte> IAlternateEqualityComparer<ReadOnlySpan<byte>, ReadOnlyMemory<byte>>.Create(ReadOnlySpan<byte> alternate) =>
        alternate.ToArray();
}
