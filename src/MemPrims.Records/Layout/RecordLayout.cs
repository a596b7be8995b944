namespace MemPrims.Records;

/// <summary>Where a record type's fields are, in each version. Made by generated code; FORMAT.md says what the numbers mean.</summary>
[method: EditorBrowsable(EditorBrowsableState.Never)]
public sealed class RecordLayout(string name, uint id, int readableFrom, RecordVersion[] versions, VariableField[] variables)
{
    // For messages, and in the file.
    internal readonly string Name = name;
    internal readonly uint Id = id;

    // The oldest version whose programs may read files of the newest one.
    internal readonly int ReadableFrom = readableFrom;
    internal readonly RecordVersion[] Versions = versions;
    internal readonly VariableField[] Variables = variables;

    internal int Version => Versions.Length;

    internal RecordVersion Newest => Versions[^1];

    // From one record to the next, and of them those before the tail with the variable fields, in the newest version.
    internal int RecordBytes => Newest.RecordBytes;

    internal int FixedBytes => Newest.FixedBytes;

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
        if (header.RecordId != Id)
            throw Wrong($"The file holds other records than {Name}: open it as the type whose id was found, or give another path", Id,
                header.RecordId);
        if (asIn == 0)
            throw Wrong("The file has record version 0, or says that programs of version 0 may read it, and none has", 1, 0);
        if (asIn > Version)
            throw new MappedFileException(MappedFileReason.Newer, path,
                $"The file holds a newer version of {Name} that this program's does not understand: use a program with that version", null,
                (ulong)Version, (ulong)version);
        RecordVersion known = Versions[asIn - 1];
        ulong hash = version > Version ? header.ReadableHash : header.LayoutHash;
        if (hash != known.Hash)
            throw Wrong($"The fields of {Name} in version {asIn} are not those that the file was written with: declare them "
                + "as they were, and what is new with Since, in a new Version", known.Hash, hash);
        if (version <= Version && known.RecordBytes != header.RecordBytes)
            throw Wrong($"The file's records of {Name} have another size", known.RecordBytes, header.RecordBytes);
        if (version <= Version && known.FixedBytes != header.FixedBytes)
            throw Wrong($"The fixed part of the file's records of {Name} has another size", known.FixedBytes, header.FixedBytes);

        MappedFileException Wrong(string what, ulong expected, ulong actual) =>
            new(MappedFileReason.WrongRecord, path, what, null, expected, actual);
    }

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
