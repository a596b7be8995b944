using System.Text;

namespace MemPrims.Sets;

/// <summary>A value of a <see cref="FacetField"/>, and how many documents of a query have it.</summary>
public readonly struct FacetCount
{
    internal FacetCount(int ordinal, int count, ReadOnlyMemory<byte> utf8Name) =>
        (Ordinal, Count, Utf8Name) = (ordinal, count, utf8Name);

    /// <summary>The number of the value in its field.</summary>
    public int Ordinal { get; }

    /// <summary>How many documents of the query have the value.</summary>
    public int Count { get; }

    /// <summary>The value itself.</summary>
    public ReadOnlyMemory<byte> Utf8Name { get; }

    /// <summary>The value as text.</summary>
    public string Name => Encoding.UTF8.GetString(Utf8Name.Span);

    /// <summary>The value and its count.</summary>
    public override string ToString() => $"{Name}: {Count}";
}
