using System.ComponentModel;
using MemPrims.Records.Format;

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

    // Copies a record of any known version into a new one of the newest, which is all zeros. The old fixed part is a prefix of the new
    // one. The tail is copied as it is up to the end of its last field, since descriptors count from its start; after that there is at
    // most padding, for which the new record may have no room. A reader that knows of no descriptors, as the command, takes what has room.
    // False, and nothing is copied, where a descriptor points outside the tail.
    internal bool TryCopy(ReadOnlySpan<byte> from, int fixedBytes, Span<byte> to)
    {
        uint tail = Variables.Length > 0 ? 0 : (uint)Math.Min(from.Length - fixedBytes, to.Length - FixedBytes);
        foreach (ref readonly VariableField field in Variables.AsSpan())
        {
            if (field.Offset + sizeof(uint) > fixedBytes) continue;
            uint descriptor = BitConverter.ToUInt32(from[field.Offset..]);
            tail = Math.Max(tail, (descriptor & 0xFFFF) + (descriptor >> 16));
        }
        if (tail > from.Length - fixedBytes || tail > to.Length - FixedBytes) return false;
        from[..fixedBytes].CopyTo(to);
        from.Slice(fixedBytes, (int)tail).CopyTo(to[FixedBytes..]);
        return true;
    }

    // Refuses a file of other records, and one that this version cannot read.
    internal void RequireIn(in MetaHeader header, string path)
    {
        int version = header.RecordVersion, asIn = version > Version ? header.ReadableFrom : version;
        if (header.RecordId != Id) throw Wrong($"The file holds other records than {Name}", Id, header.RecordId);
        if (asIn == 0)
            throw Wrong("The file has record version 0, or says that programs of version 0 may read it, and none has", 1, 0);
        if (asIn > Version)
            throw new MappedFileException(MappedFileReason.Newer, path,
                $"The file holds a newer version of {Name} that this program's does not understand", null, (ulong)Version,
                (ulong)version);
        RecordVersion known = Versions[asIn - 1];
        ulong hash = version > Version ? header.ReadableHash : header.LayoutHash;
        if (hash != known.Hash)
            throw Wrong($"The fields of {Name} in version {asIn} are not those that the file was written with", known.Hash, hash);
        if (version <= Version && known.RecordBytes != header.RecordBytes)
            throw Wrong($"The file's records of {Name} have another size", known.RecordBytes, header.RecordBytes);
        if (version <= Version && known.FixedBytes != header.FixedBytes)
            throw Wrong($"The fixed part of the file's records of {Name} has another size", known.FixedBytes, header.FixedBytes);

        MappedFileException Wrong(string what, ulong expected, ulong actual) =>
            new(MappedFileReason.WrongRecord, path, what, null, expected, actual);
    }

    // Refuses to write a file of another version.
    internal void RequireVersion(in MetaHeader header, string path)
    {
        if (header.RecordVersion == Version) return;
        throw header.RecordVersion < Version
            ? new MappedFileException(MappedFileReason.Older, path,
                $"The file holds version {header.RecordVersion} of {Name}: it can be read, and written after Upgrade", null,
                (ulong)Version, header.RecordVersion)
            : new MappedFileException(MappedFileReason.Newer, path,
                $"The file holds a newer version of {Name}: it can be read, but only a program that knows its newer fields may write it",
                null, (ulong)Version, header.RecordVersion);
    }
}
