namespace MemPrims.Records;

/// <summary>
/// A text, stored as UTF-8: a property of type <c>string</c>, beside which the generator makes one of the bytes whose name ends in
/// <c>Utf8</c>, or of type <c>ReadOnlySpan&lt;byte&gt;</c>, which takes only valid UTF-8.
/// </summary>
/// <param name="id">The field's number: 0, 1, 2 … in the order of the declaration.</param>
[AttributeUsage(AttributeTargets.Property)]
public sealed class Utf8Attribute(int id) : Attribute
{
    /// <summary>The field's number.</summary>
    public int Id { get; } = id;

    /// <summary>The most bytes that it holds. Every record has room for them.</summary>
    public int Max { get; set; }

    /// <summary>The version of the record that brought the field.</summary>
    public int Since { get; set; } = 1;
}
