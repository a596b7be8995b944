namespace MemPrims.Pages;

/// <summary>A key and its value, where they lie.</summary>
public readonly ref struct SortedEntry
{
    internal SortedEntry(ReadOnlySpan<byte> key, Span<byte> value)
    {
        Key = key;
        Value = value;
    }

    /// <summary>The key.</summary>
    public ReadOnlySpan<byte> Key { get; }

    /// <summary>The value.</summary>
    public Span<byte> Value { get; }
}
