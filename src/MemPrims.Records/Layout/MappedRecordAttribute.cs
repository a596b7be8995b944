namespace MemPrims.Records;

/// <summary>
/// Makes a <c>readonly ref partial struct</c> a record of a mapped file: its partial properties get bodies when compiled.
/// </summary>
/// <param name="id">A number of your choice that a file of such records carries, so that it is not taken for another.</param>
[AttributeUsage(AttributeTargets.Struct)]
public sealed class MappedRecordAttribute(uint id) : Attribute
{
    /// <summary>The number in the file.</summary>
    public uint Id { get; } = id;

    /// <summary>The layout's version, from 1. Fields are only ever appended, each with the version that brought it.</summary>
    public int Version { get; set; } = 1;

    /// <summary>The oldest version whose programs may read files of this one, without the newer fields. By default none older.</summary>
    public int ReadableFrom { get; set; }
}
