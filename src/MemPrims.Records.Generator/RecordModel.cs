namespace MemPrims.Records.Generator;

// All that is to be known of a record type to write its code; equal when nothing that matters changed.
internal sealed record RecordModel(
    string Namespace, EquatableArray<string> Containers, string Name, string Accessibility, string FullName, uint Id, int Version,
        int ReadableFrom,
    EquatableArray<FieldModel> Fields, EquatableArray<Problem> Problems, Place? Where)
{
    public bool IsSound => Problems.Count == 0;

    // The class with the calls that hand out views.
    public string ExtensionsName =>
        (string.Concat(Containers.Select(c => c.Substring(c.LastIndexOf(' ') + 1) + "_")) + Name).Replace("@", "") + "Records";

    // A name of a file that no other record has, also where names that differ in case only are the same.
    public string FileName => $"{FullName.Replace("global::", "").Replace("@", "")}.{(uint)HashOf(FullName):x8}.g.cs";

    public IEnumerable<FieldModel> FieldsIn(int version) => Fields.Where(field => field.Since <= version);

    public int FixedBytes(int version) => FieldsIn(version).Select(field => field.Offset + field.FixedSize).DefaultIfEmpty(0).Max();

    public int RecordBytes(int version) =>
        (FixedBytes(version) + FieldsIn(version).Sum(field => field.IsVariable ? field.Max : 0) + 7) & -8;

    // The layout in one line, without names: what the lock file keeps and the file's hash is of.
    public string Line(int version) =>
        $"0x{Id:X8} v{version} = {string.Join(" ", FieldsIn(version).Select(field => field.Describe()))}";

    public ulong Hash(int version) => HashOf(Line(version));

    private static ulong HashOf(string text) =>
        text.Aggregate(14695981039346656037UL, (hash, letter) => unchecked((hash ^ letter) * 1099511628211UL));
}

internal enum FieldKind
{
    Number,
    Array,
    Text,
    Bytes,
}

// A field with its place. `Element`: the type of the value, or of the array's elements. `Stored`: see ValueType.
internal sealed record FieldModel(
    string Name, string Accessibility, string Modifiers, string Type, string Element,
        string Code, string Stored, int ElementSize, FieldKind Kind,
        bool IsInteger, bool IsNullable,
    bool IsString, int Id, int Since, int Length, int Max, int Offset, Place? Where)
{
    public bool IsVariable => Kind is FieldKind.Text or FieldKind.Bytes;

    public int FixedSize => Kind == FieldKind.Array ? ElementSize * Length : ElementSize + (IsNullable ? 1 : 0);

    // Of a number its size; of a struct that of its largest field. Guids lie at multiples of 8 in a record.
    public int ElementAlignment { get; init; } = ElementSize;

    public int Alignment => Math.Min(Code == "guid" ? ElementSize : ElementAlignment, 8);

    public string Describe() => Kind switch
    {
        FieldKind.Text or FieldKind.Bytes => $"{Id}:{Code}({Max})@{Offset}",
        FieldKind.Array => $"{Id}:{Code}[{Length}]@{Offset}",
        _ => $"{Id}:{Code}{(IsNullable ? "?" : "")}@{Offset}",
    };
}
