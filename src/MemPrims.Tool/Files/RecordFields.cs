using System.Text.RegularExpressions;
using MemPrims.Records.Format;

namespace MemPrims.Tool.Files;

// The fields of a record, from a line of a .recordlayout: `0x00001D57 v1 = 0:i64@0 1:i32@8 2:utf8(128)@12`.
internal sealed partial class RecordFields
{
    private readonly List<Field> _fields = [];

    private RecordFields(string line)
    {
        Line = line;
        foreach (Match match in FieldText().Matches(line[line.IndexOf('=')..])) _fields.Add(Field.Of(match));
        Variables = [.. from field in _fields where field.IsVariable
            select new VariableField((ushort)field.Offset, (ushort)field.Count, field.Code == "utf8", field.Name)];
    }

    public string Line { get; }

    public VariableField[] Variables { get; }

    // The line of the file's record: its hash is in the file.
    public static RecordFields In(string layoutPath, MetaHeader header)
    {
        using StreamReader lines = new(FileKinds.Read(layoutPath));
        while (lines.ReadLine()?.Trim() is { } line)
            if (HashOf(line) == header.LayoutHash) return Of(line, header, layoutPath);
        throw new UsageException($"{layoutPath} has no line for version {header.RecordVersion} of record 0x{header.RecordId:X8} "
            + $"with the hash 0x{header.LayoutHash:X16} that the file was written with.");
    }

    // The hash is in the file, and so may be that of any line.
    private static RecordFields Of(string line, MetaHeader header, string layoutPath)
    {
        try
        {
            RecordFields fields = new(line);
            if (fields._fields.All(field => field.End <= header.FixedBytes)) return fields;
        }
        catch (Exception e) when (e is ArgumentException or FormatException or OverflowException) { }
        throw new UsageException($"{layoutPath}: '{line}' is no layout of records with {header.FixedBytes} fixed bytes.");
    }

    // The values of a record, in the order of the fields.
    public IEnumerable<(string Name, object Value)> Values(byte[] record, int fixedBytes) =>
        _fields.Select(field => (field.Name, field.Value(record, fixedBytes)));

    // FNV-1a with 64 bits.
    private static ulong HashOf(string line) => line.Aggregate(14695981039346656037UL, (hash, c) => (hash ^ c) * 1099511628211UL);

    [GeneratedRegex(@"(?<id>\d+):(?<code>[a-z0-9]+|\{[^}]*\})(?:\[(?<count>\d+)\]|\((?<max>\d+)\)|(?<optional>\?))?@(?<offset>\d+)")]
    private static partial Regex FieldText();

    // One field. `Count`: the elements of an array, the most bytes of a text or block; else 0.
    private sealed record Field(string Name, string Code, int Count, bool IsArray, bool IsOptional, int Offset)
    {
        public bool IsVariable => Code is "utf8" or "bytes";

        // A text or block is four bytes here; of an optional field a byte tells whether there is a value.
        public long End => Offset + (IsVariable ? 4 : (IsArray ? Count : 1L) * RecordValue.SizeOf(Code) + (IsOptional ? 1 : 0));

        public static Field Of(Match match) => new(match.Groups["id"].Value, match.Groups["code"].Value,
            Number(match.Groups["count"].Success ? match.Groups["count"] : match.Groups["max"]), match.Groups["count"].Success,
            match.Groups["optional"].Success, Number(match.Groups["offset"]));

        public object Value(byte[] record, int fixedBytes)
        {
            if (IsVariable) return Variable(record, fixedBytes);
            int size = RecordValue.SizeOf(Code);
            if (IsOptional && record[Offset + size] == 0) return "none";
            if (!IsArray) return RecordValue.Read(Code, record.AsSpan(Offset, size));
            if (Code == "u8") return record.AsSpan(Offset, Count).ToArray();
            IEnumerable<object> elements = Enumerable.Range(0, Count)
                .Select(i => RecordValue.Read(Code, record.AsSpan(Offset + i * size, size)));
            return $"[{string.Join(", ", elements)}]";
        }

        // Two bytes offset from the tail's start, two bytes length.
        private object Variable(byte[] record, int fixedBytes)
        {
            int from = fixedBytes + BitConverter.ToUInt16(record, Offset), length = BitConverter.ToUInt16(record, Offset + sizeof(ushort));
            if (from + length > record.Length)
                throw new DamagedDataException(
                    $"Field {Name} claims bytes {from} to {from + length} of a record of {record.Length}", Offset);
            byte[] value = record.AsSpan(from, length).ToArray();
            return Code == "utf8" ? Encoding.UTF8.GetString(value) : value;
        }

        private static int Number(Group group) => group.Success ? int.Parse(group.Value, CultureInfo.InvariantCulture) : 0;
    }
}
