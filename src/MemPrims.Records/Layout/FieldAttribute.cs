namespace MemPrims.Records;

/// <summary>
/// A field of fixed size: an integer, Half, float, double, decimal, bool, enum, Guid, DateTime, DateTimeOffset, DateOnly, TimeOnly,
/// TimeSpan, Int128 or UInt128, a struct of numbers without gaps, or a nullable of these; or with <see cref="Length"/> a <c>Span</c> of
/// those that are stored as they are in memory.
/// </summary>
/// <param name="id">The field's number: 0, 1, 2 … in the order of the declaration.</param>
[AttributeUsage(AttributeTargets.Property)]
public sealed class FieldAttribute(int id) : Attribute
{
    /// <summary>The field's number.</summary>
    public int Id { get; } = id;

    /// <summary>The version of the record that brought the field.</summary>
    public int Since { get; set; } = 1;

    /// <summary>The number of elements, for a property of type <c>Span</c> without a setter.</summary>
    public int Length { get; set; }
}
