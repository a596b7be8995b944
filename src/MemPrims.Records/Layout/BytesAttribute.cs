namespace MemPrims.Records;

/// <summary>A block of bytes: a property of type <c>ReadOnlySpan&lt;byte&gt;</c>.</summary>
/// <param name="id">The field's number: 0, 1, 2 … in the order of the declaration.</param>
[AttributeUsage(AttributeTargets.Property)]
public sealed class BytesAttribute(int id) : Attribute
{
    /// <summary>The field's number.</summary>
    public int Id { get; } = id;

    /// <summary>The most bytes that it holds. Every record has room for them.</summary>
    public int Max { get; set; }

    /// <summary>The version of the record that brought the field.</summary>
    public int Since { get; set; } = 1;
}
