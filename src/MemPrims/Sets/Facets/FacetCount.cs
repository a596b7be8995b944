using System.Text;

namespace MemPrims.Sets;

/// <summary>A value of a <see cref="FacetField"/>, and how many documents of a query have it.</summary>
/// <param name="Ordinal">The number of the value in its field.</param>
/// <param name="Count">How many documents of the query have the value.</param>
/// <param name="Utf8Name">The value itself.</param>
public readonly record struct FacetCount(int Ordinal, int Count, ReadOnlyMemory<byte> Utf8Name)
{
    /// <summary>The value as text.</summary>
    public string Name => Encoding.UTF8.GetString(Utf8Name.Span);

    /// <summary>The value and its count.</summary>
    public override string ToString() => $"{Name}: {Count}";
}
