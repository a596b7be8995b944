using System.ComponentModel;

namespace MemPrims.Records;

/// <summary>
/// Where a record type's fields are, in each version of it. Made by generated code; FORMAT.md says what the numbers mean.
/// </summary>
public sealed class RecordLayout
{
    /// <summary>For generated code.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public RecordLayout(string name, uint id, int readableFrom, RecordVersion[] versions, VariableField[] variables)
    {
        Name = name;
        Id = id;
        ReadableFrom = readableFrom;
        Versions = versions;
        Variables = variables;
    }

    /// <summary>The record type's name, for messages.</summary>
    public string Name { get; }

    /// <summary>The number that a file of such records carries.</summary>
    public uint Id { get; }

    /// <summary>The newest version.</summary>
    public int Version => Versions.Length;

    /// <summary>The oldest version whose programs may read files of the newest one.</summary>
    public int ReadableFrom { get; }

    /// <summary>Bytes from one record to the next, in the newest version.</summary>
    public int RecordBytes => Newest.RecordBytes;

    /// <summary>Bytes of the fixed part, in the newest version; the tail with the variable fields follows.</summary>
    public int FixedBytes => Newest.FixedBytes;

    internal RecordVersion[] Versions { get; }

    internal VariableField[] Variables { get; }

    internal RecordVersion Newest => Versions[^1];
}

/// <summary>One version of a layout: the hash of its description, and its sizes. For generated code.</summary>
/// <param name="Hash">FNV-1a of the layout's line, as the lock file has it.</param>
/// <param name="FixedBytes">Bytes of the fixed part.</param>
/// <param name="RecordBytes">Bytes from one record to the next.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct RecordVersion(ulong Hash, ushort FixedBytes, ushort RecordBytes);

/// <summary>A field in the tail. For generated code.</summary>
/// <param name="Offset">Of its descriptor in the fixed part: two bytes offset from the tail's start, two bytes length.</param>
/// <param name="Max">The most bytes that it holds.</param>
/// <param name="IsText">Whether it must be UTF-8.</param>
/// <param name="Name">The property's, for messages.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct VariableField(ushort Offset, ushort Max, bool IsText, string Name);
