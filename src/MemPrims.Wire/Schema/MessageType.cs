namespace MemPrims.Wire;

/// <summary>A message of a schema: its fields, and the way to new, decoded and parsed messages of it.</summary>
/// <remarks>It does not change, and may be used by several threads. That of a second schema is another type, whatever its name.</remarks>
// It is compiled into a flat table: an entry per field with its tag bytes, kind and slot, in the order of the numbers.
public sealed class MessageType
{
    // Messages with at most this many fields have a slot for each; larger ones keep slots only for what is set.
    internal const int DenseSlots = 32;

    private readonly Dictionary<string, MessageField> _byName = new(StringComparer.Ordinal);

    // The start of each extension range, and above it its end; in the order of the starts.
    private long[] _extensionRanges = [];

    // The index plus one of each small field number; larger numbers are searched for.
    private ushort[] _small = [];
    private int[] _numbers = [];

    internal MessageType(NameScope scope, string name, string file, bool isMapEntry, bool isMessageSet)
    {
        Scope = scope;
        Name = name;
        File = file;
        IsMapEntry = isMapEntry;
        IsMessageSet = isMessageSet;
    }

    /// <summary>The name without package and outer messages.</summary>
    public string Name { get; }

    /// <summary>The name with its package and outer messages.</summary>
    public string FullName => Scope.FullName;

    /// <summary>The file that declares it.</summary>
    public string File { get; }

    /// <summary>Whether it is the entry of a map.</summary>
    public bool IsMapEntry { get; }

    /// <summary>The fields, extensions among them, in the order of their numbers.</summary>
    public IReadOnlyList<MessageField> Fields { get; private set; } = [];

    /// <summary>The oneofs, without those that <c>optional</c> makes in proto3.</summary>
    public IReadOnlyList<Oneof> Oneofs { get; private set; } = [];

    /// <summary>The schema that it belongs to.</summary>
    public MessageSchema Schema { get; internal set; } = null!;

    internal NameScope Scope { get; }

    internal FieldOp[] Ops { get; private set; } = [];

    internal bool IsDense { get; private set; }

    // The bits of the fields that hold one number, text or bytes; for messages with a slot for each field.
    internal uint FlatBits { get; private set; }

    internal bool IsMessageSet { get; }

    // About how many bytes one message takes: itself, and its slots as soon as one field is set.
    internal int Footprint { get; private set; }

    internal bool MayMissRequired { get; set; }

    internal WellKnown WellKnown { get; set; }

    // The bits of a large message in which nothing is set, shared by all of them.
    internal ulong[]? NoBits { get; private set; }

    internal int[] Required { get; private set; } = [];

    internal List<MessageField> Declared { get; } = [];

    // The fields by both of their names, made when first asked for.
    internal Dictionary<string, MessageField> JsonNames => field ??= MakeJsonNames();

    /// <summary>The field of a name, <c>[full.name]</c> for an extension.</summary>
    public bool TryGetField(string name, [NotNullWhen(true)] out MessageField? field) => _byName.TryGetValue(name, out field);

    /// <summary>The field of a number.</summary>
    public bool TryGetField(int number, [NotNullWhen(true)] out MessageField? field)
    {
        int index = IndexOf((uint)number);
        field = index < 0 ? null : Fields[index];
        return index >= 0;
    }

    /// <summary>The handle of a field, which reads and sets it without looking up its name.</summary>
    /// <exception cref="ArgumentException">There is no such field, or its values are not of this type.</exception>
    public FieldHandle<T> Field<T>(string name) => FieldHandle<T>.Of(Require(name));

    /// <summary>The handle of a field, by its number.</summary>
    /// <exception cref="ArgumentException">There is no such field, or its values are not of this type.</exception>
    public FieldHandle<T> Field<T>(int number) => FieldHandle<T>.Of(Require(number));

    /// <summary>An empty message of this type.</summary>
    public Message New() => Message.Make(this);

    /// <summary>
    /// A path to one value in messages of this type, as <c>lines[3].sku</c> or <c>labels["key"]</c>, or to many, as
    /// <c>lines[*].sku</c>. It begins with a field of this type.
    /// </summary>
    /// <exception cref="ArgumentException">It leads nowhere; the message says where it ends.</exception>
    public FieldPath Path(string path) => new(this, path);

    /// <summary>Decodes a message. Text becomes strings, bytes arrays; nothing refers to <paramref name="message"/> afterwards.</summary>
    /// <exception cref="WireException">The bytes are no such message; it tells the offset and the field.</exception>
    public Message Decode(ReadOnlySpan<byte> message, DecodeOptions? options = null)
    {
        Message decoded = Message.Make(this);
        Decoder.Decode(decoded, message, null, 0, options ?? DecodeOptions.Default);
        return decoded;
    }

    /// <summary>Decodes a message that lies in several pieces of memory.</summary>
    /// <exception cref="WireException">The bytes are no such message; it tells the offset and the field.</exception>
    public Message Decode(in ReadOnlySequence<byte> message, DecodeOptions? options = null) =>
        message.IsSingleSegment ? Decode(message.FirstSpan, options)
            : Decode(Gathering.ToArray(in message, options ?? DecodeOptions.Default), options);

    /// <summary>Decodes a message from a stream, read to its end.</summary>
    /// <exception cref="WireException">The bytes are no such message; it tells the offset and the field.</exception>
    public Message Decode(Stream message, DecodeOptions? options = null) =>
        Decode(Gathering.Read(message, options ?? DecodeOptions.Default).Span, options);

    /// <summary>Reads a message from UTF-8 JSON.</summary>
    /// <exception cref="WireException">It is no JSON, or not of this message; it tells the offset and the field.</exception>
    public Message ParseJson(ReadOnlySpan<byte> json, JsonParseOptions? options = null)
    {
        Message message = Message.Make(this);
        JsonParser.Parse(message, json, options ?? JsonParseOptions.Default);
        return message;
    }

    /// <summary>Reads a message from JSON.</summary>
    /// <exception cref="WireException">It is no JSON, or not of this message; it tells the offset in UTF-8 and the field.</exception>
    public Message ParseJson(string json, JsonParseOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(json);
        if (Utf16.FirstHalf(json) is >= 0 and var half)
            throw new WireException("the JSON has half of a surrogate pair", Encoding.UTF8.GetByteCount(json.AsSpan(0, half)), "");
        return ParseJson(Encoding.UTF8.GetBytes(json), options);
    }

    /// <inheritdoc/>
    public override string ToString() => FullName;

    internal MessageField Require(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _byName.TryGetValue(name, out MessageField? field) ? field : throw new ArgumentException(NoFieldText(name));
    }

    internal MessageField Require(int number) => TryGetField(number, out MessageField? field) ? field
        : throw new ArgumentException($"{FullName} has no field with the number {number}.{FirstNames}");

    internal Oneof RequireOneof(string name) => Oneofs.FirstOrDefault(oneof => oneof.Name == name) ?? throw new ArgumentException(
        $"{FullName} has no oneof '{PathText.Shown(name)}'. It has: {string.Join(", ", Oneofs.Select(oneof => oneof.Name))}.", "oneof");

    internal void SetOneofs(List<Oneof> oneofs)
    {
        Oneofs = [.. oneofs];
        for (int i = 0; i < oneofs.Count; i++) oneofs[i].Index = i;
    }

    // ranges: the start and end of each, one after the other.
    internal void SetExtensionRanges(List<int> ranges)
    {
        if (ranges.Count == 0) return;
        _extensionRanges = new long[ranges.Count / 2];
        bool isSorted = true;
        for (int i = 0; i < _extensionRanges.Length; i++)
        {
            (int start, int end) = (ranges[2 * i], ranges[2 * i + 1]);
            if (start < 1 || end <= start)
                throw SchemaBuilder.Fault(File, FullName, $"the extension range from {start} to before {end} has no number");
            _extensionRanges[i] = (long)start << 32 | (uint)end;
            isSorted &= i == 0 || _extensionRanges[i - 1] < _extensionRanges[i];
        }
        if (!isSorted) Array.Sort(_extensionRanges);
        for (int i = 1; i < _extensionRanges.Length; i++)
            if ((int)_extensionRanges[i - 1] > _extensionRanges[i] >> 32)
                throw SchemaBuilder.Fault(File, FullName, $"the number {_extensionRanges[i] >> 32} is in two extension ranges");
    }

    internal bool IsExtensionNumber(int number)
    {
        // The last range that begins at the number or before.
        int after = ~Array.BinarySearch(_extensionRanges, (long)number << 32 | uint.MaxValue);
        return after > 0 && number < (int)_extensionRanges[after - 1];
    }

    // Adds a field; false if one has its name already. Numbers are compared by Compile.
    internal bool TryAdd(MessageField field)
    {
        if (!_byName.TryAdd(field.Name, field)) return false;
        field.Index = Declared.Count;
        Declared.Add(field);
        return true;
    }

    internal void Compile()
    {
        // Loops rather than queries: a new process compiles each query before its first schema is loaded. For the same reason a sort of
        // the fields themselves, and only where it is needed: Array.Sort of numbers and fields is a class of its own to compile.
        MessageField[] fields = [.. Declared];
        bool isSorted = true;
        for (int i = 1; i < fields.Length; i++) isSorted &= fields[i - 1].Number < fields[i].Number;
        if (!isSorted) Array.Sort(fields, (a, b) => a.Number != b.Number ? a.Number.CompareTo(b.Number) : a.Index.CompareTo(b.Index));
        for (int i = 1; i < fields.Length; i++)
            if (fields[i - 1].Number == fields[i].Number)
                throw SchemaBuilder.Fault(fields[i].File, fields[i].FullName,
                    $"the number {fields[i].Number} is that of {fields[i - 1]} too");
        _numbers = new int[fields.Length];
        for (int i = 0; i < fields.Length; i++) _numbers[i] = fields[i].Number;
        Fields = fields;
        Ops = new FieldOp[fields.Length];
        List<int> required = [];
        int small = 0;
        // Dense only as long as a third of it is used, but for the first 64 numbers.
        for (int i = 0; i < fields.Length && i < ushort.MaxValue; i++)
            if (fields[i].Number < Math.Max(64, 3 * (i + 1))) small = fields[i].Number + 1;
        _small = new ushort[small];
        for (int i = 0; i < fields.Length; i++)
        {
            fields[i].Index = i;
            if (fields[i].Number < small) _small[fields[i].Number] = (ushort)(i + 1);
            Ops[i] = OpOf(fields[i]);
            if (fields[i].IsRequired) required.Add(i);
        }
        Required = [.. required];
        IsDense = fields.Length <= DenseSlots;
        for (int i = 0; IsDense && i < fields.Length; i++)
            if (!fields[i].IsRepeated && !fields[i].IsMessage) FlatBits |= 1u << i;
        for (int i = 0; IsDense && i < fields.Length; i++)
            if (fields[i].Oneof is { } oneof) oneof.Bits |= 1u << i;
        Footprint = IsDense ? 80 + 16 * fields.Length : 240 + fields.Length / 4 + 4 * Oneofs.Count;
        if (!IsDense) NoBits = new ulong[(fields.Length + 31) / 32];
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int IndexOf(uint number)
    {
        ushort[] small = _small;
        return number < (uint)small.Length ? small[number] - 1 : IndexOfLarge((int)number);
    }

    private int IndexOfLarge(int number)
    {
        int index = Array.BinarySearch(_numbers, number);
        return index < 0 ? -1 : index;
    }

    // Says that a name is none of a field, and what it is instead or what names there are.
    internal string NoFieldText(string name)
    {
        string shown = $"{FullName} has no field '{PathText.Shown(name)}'";
        if (Fields.FirstOrDefault(field => field.JsonName == name) is { } same) return $"{shown}; that is the JSON name of {same.Name}";
        if (Oneofs.Any(oneof => oneof.Name == name)) return $"{shown}; that is a oneof: WhichOf says which of its fields is set";
        return $"{shown}.{FirstNames}";
    }

    private string FirstNames => Fields.Count == 0 ? " It has none."
        : $" It has: {string.Join(", ", Fields.Take(20).Select(one => one.Name))}{(Fields.Count > 20 ? ", …" : "")}";

    private static FieldOp OpOf(MessageField field)
    {
        Op code = (Op)field.Kind;
        if (field is { Kind: FieldKind.String, IsUtf8Checked: false }) code = Op.RawString;
        if (field.EnumType is { IsClosed: true }) code = Op.ClosedEnum;
        if (field.Type.IsMessageSet) code = Op.SetItem;
        WireType wire = Scalars.WireTypeOf(field.Kind);
        uint plain = (uint)field.Number << 3 | (uint)wire, packed = (uint)field.Number << 3 | (uint)WireType.Bytes;
        uint tag = field.IsPacked ? packed : plain;
        bool hasOther = field.IsRepeated && Scalars.TypeOf(field.Kind) is not null;
        int length = Codecs.Varint.Size(tag);
        return new()
        {
            TagTop = VarintWord.Of(tag, length) << (64 - 8 * length),
            TagLength = (byte)length,
            Tag = tag,
            OtherTag = !hasOther ? 0 : field.IsPacked ? plain : packed,
            Code = field.IsRepeated ? code | Op.Repeated : code,
            IsImplicit = !field.HasPresence && !field.IsRepeated,
            IsPacked = field.IsPacked,
            IsInOneof = field.Oneof is not null,
            Field = field,
            Type = field.MessageType,
        };
    }

    private Dictionary<string, MessageField> MakeJsonNames()
    {
        Dictionary<string, MessageField> names = new(StringComparer.Ordinal);
        foreach (MessageField field in Fields)
        {
            if (names.TryAdd(field.JsonName, field)) continue;
            // Two fields have one JSON name: this one goes by its own. A field that has that as its JSON name goes by its own then, too.
            for (MessageField? moved = field; moved is not null;)
            {
                names.Remove(moved.Name, out MessageField? next);
                names.Add(moved.Name, moved);
                moved = next;
            }
        }
        foreach (MessageField field in Fields) names.TryAdd(field.Name, field);
        return names;
    }
}
