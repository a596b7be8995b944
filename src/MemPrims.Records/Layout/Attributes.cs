namespace MemPrims.Records;

/// <summary>
/// Makes a <c>readonly ref partial struct</c> a record in a mapped file: its partial properties get their bodies at compile time.
/// </summary>
/// <param name="id">A number of your choice that a file of such records carries, so that it is not taken for another.</param>
[AttributeUsage(AttributeTargets.Struct)]
public sealed class MappedRecordAttribute(uint id) : Attribute
{
    /// <summary>The number in the file.</summary>
    public uint Id { get; } = id;

    /// <summary>The layout's version, from 1. Fields are only ever appended, each with the version that brought it.</summary>
    public int Version { get; set; } = 1;

    /// <summary>
    /// The oldest version whose programs may read files of this one (they do not see the newer fields). By default no older one.
    /// </summary>
    public int ReadableFrom { get; set; }
}

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
