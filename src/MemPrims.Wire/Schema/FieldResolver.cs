namespace MemPrims.Wire;

// Makes the fields of one message, or the extensions declared in one scope: their types, features, oneofs and defaults.
internal sealed class FieldResolver(SchemaBuilder builder, RawFile file, NameScope scope, Features above)
{
    // The message whose scope this is, and what its descriptor says; null in the scope of a file.
    public MessageType? Owner;
    public RawMessage? Raw;

    public required List<RawField> Extensions;

    public void ResolveExtensions(List<MessageField> made)
    {
        foreach (RawField raw in Extensions) made.Add(Extension(raw));
    }

    public void ResolveFields()
    {
        MessageType owner = Owner!;
        RawMessage raw = Raw!;
        // Every extension is one message after a length, and so is read and written by code of its own. A field would be taken for one.
        if (owner.IsMessageSet && raw.Fields.Count + raw.Oneofs.Count > 0)
            throw SchemaBuilder.Fault(file.Name, owner.FullName, "a message set has extensions, and no fields or oneofs of its own");
        Oneof?[] oneofs = raw.Oneofs.Count == 0 ? [] : new Oneof?[raw.Oneofs.Count];
        foreach (RawField field in raw.Fields)
        {
            if (!SchemaBuilder.IsIdentifier(field.Name)) throw Fault(field, $"'{field.Name}' is no name of a field");
            builder.CheckLength(scope, field.Name, file);
            string json = field.JsonName.Length > 0 ? field.JsonName : ToJsonName(field.Name);
            MessageField made = new(owner, scope, field.Name, field.Name, json, field.Number, file.Name);
            Settle(made, field);
            if (field.Oneof >= 0)
            {
                if (field.Oneof >= oneofs.Length)
                    throw Fault(field, $"its oneof has the index {field.Oneof}; the message has {oneofs.Length}");
                if (made.Label != FieldLabel.Optional) throw Fault(field, "a field of a oneof is neither required nor repeated");
                made.HasPresence = true;
                if (!field.IsProto3Optional)
                {
                    made.Oneof = oneofs[field.Oneof] ??= new(raw.Oneofs[field.Oneof], owner);
                    made.Oneof.Members.Add(made);
                }
            }
            Add(owner, made, field);
        }
        List<Oneof> used = [];
        foreach (Oneof? oneof in oneofs)
            if (oneof is not null) used.Add(oneof);
        owner.SetOneofs(used);
        if (raw.IsMapEntry) CheckMapEntry(owner, raw);
    }

    private MessageField Extension(RawField raw)
    {
        if (!SchemaBuilder.IsIdentifier(raw.Name)) throw Fault(raw, $"'{raw.Name}' is no name of an extension");
        if (Resolve(raw, raw.Extendee) is not MessageType owner) throw Fault(raw, $"extends {raw.Extendee}, which is no message");
        if (!owner.IsExtensionNumber(raw.Number))
            throw Fault(raw, $"extends {owner.FullName}, which has no extension range with {raw.Number} in it");
        builder.CheckLength(scope, raw.Name, file);
        string bracketed = scope.Length == 0 ? $"[{raw.Name}]" : $"[{scope.FullName}.{raw.Name}]";
        MessageField made = new(owner, scope, raw.Name, bracketed, bracketed, raw.Number, file.Name) { IsExtension = true };
        Settle(made, raw);
        if (made.IsRequired) throw Fault(raw, "an extension is not required");
        if (owner.IsMessageSet && (made.Kind != FieldKind.Message || made.IsRepeated))
            throw Fault(raw, "an extension of a message set is one message");
        made.HasPresence = !made.IsRepeated;
        Add(owner, made, raw);
        return made;
    }

    private void Settle(MessageField field, RawField raw)
    {
        Features features = raw.Features.Over(above);
        // A message set writes its extensions' numbers as values, not in tags.
        int largest = field.Type.IsMessageSet ? int.MaxValue - 1 : 536_870_911;
        if (raw.Number < 1 || raw.Number > largest) throw Fault(raw, $"the number {raw.Number} is out of range: 1 to {largest:N0}");
        if (raw.Number is >= 19_000 and <= 19_999) throw Fault(raw, $"the number {raw.Number} is reserved: 19,000 to 19,999 are");
        if (raw.Label is < 1 or > 3) throw Fault(raw, $"the label {raw.Label} is not known");
        field.Label = (FieldLabel)raw.Label;
        if (features.Presence == Features.LegacyRequired && field.Label == FieldLabel.Optional && raw.Oneof < 0)
            field.Label = FieldLabel.Required;
        SettleType(field, raw, features);
        bool isPackable = field.IsRepeated && Scalars.TypeOf(field.Kind) is not null;
        field.IsPacked = isPackable && (raw.Packed ?? features.Repeated == Features.Packed);
        field.IsUtf8Checked = field.Kind == FieldKind.String && features.Utf8 == Features.Verify;
        field.HasPresence = !field.IsRepeated && (field.IsMessage || raw.IsProto3Optional || field.IsRequired
            || features.Presence != Features.Implicit);
        if (field.Kind == FieldKind.Enum && !field.IsRepeated && field.EnumType!.First is var first && first != 0)
            field.Defaults = FieldDefault.Zero with { Bits = (ulong)first };
        if (raw.Default is { } text)
        {
            if (field.IsRepeated || field.IsMessage) throw Fault(raw, "a repeated field or a message has no default");
            try
            {
                field.Defaults = DefaultValues.Parse(field, text);
            }
            catch (Exception e) when (e is FormatException or OverflowException or ArgumentException)
            {
                throw Fault(raw, $"the default '{Encoding.UTF8.GetString(text)}' is no {field.Kind}");
            }
            field.HasDefault = true;
        }
    }

    private void SettleType(MessageField field, RawField raw, Features features)
    {
        object? type = raw.TypeName.Length == 0 ? null : Resolve(raw, raw.TypeName);
        if (raw.TypeName.Length > 0 && type is null) throw Fault(raw, $"its type {raw.TypeName} is not in the set");
        // A descriptor may leave out the kind of a named type.
        int kind = raw.Kind != 0 ? raw.Kind : type is EnumType ? (int)FieldKind.Enum : type is MessageType ? (int)FieldKind.Message : 0;
        if (kind is < 1 or > 18) throw Fault(raw, $"the kind {raw.Kind} is not known");
        field.Kind = (FieldKind)kind;
        if (field.IsMessage)
        {
            field.MessageType = type as MessageType ?? throw Fault(raw, $"its type {raw.TypeName} is no message");
            bool isMap = field.MessageType.IsMapEntry || field.Type.IsMapEntry;
            if (features.Encoding == Features.Delimited && !isMap) field.Kind = FieldKind.Group;
            // A map is a list of entries after lengths: decoding relies on it.
            if (field.MessageType.IsMapEntry && (!field.IsRepeated || field.Kind == FieldKind.Group))
                throw Fault(raw, $"it is of {raw.TypeName}, the entry of a map, and so has to be a repeated message");
        }
        else if (field.Kind == FieldKind.Enum) field.EnumType = type as EnumType ?? throw Fault(raw,
            $"its type {raw.TypeName} is no enum");
        else if (type is not null) throw Fault(raw, $"a {field.Kind} has no type of its own, yet {raw.TypeName} is named");
    }

    private void Add(MessageType owner, MessageField field, RawField raw)
    {
        if (!owner.TryAdd(field)) throw Fault(raw, "the name is declared twice");
    }

    private void CheckMapEntry(MessageType entry, RawMessage raw)
    {
        MessageField[] fields = [.. entry.Declared];
        if (fields is [{ Number: 2 }, _]) Array.Reverse(fields);
        if (raw.ExtensionRanges.Count > 0 || fields is not
            [
            {
                Number: 1, Label: FieldLabel.Optional, Oneof: null, Kind: not (FieldKind.Double or FieldKind.Float or FieldKind.Bytes
                    or FieldKind.Message or FieldKind.Group or FieldKind.Enum)
            },
            { Number: 2, Label: FieldLabel.Optional, Oneof: null },
            ])
            throw SchemaBuilder.Fault(file.Name, entry.FullName, "a map entry has a key, numbered 1, of an integral, bool or string kind, "
                + "and a value, numbered 2: each at most once, and nothing else");
        // What an entry lacks is zero, and both are always written.
        foreach (MessageField field in fields) field.HasPresence = true;
    }

    // A name with a dot before it is full. Another one is looked for in this scope, then in those around it.
    private object? Resolve(RawField raw, string name)
    {
        if (name.Length == 0) throw Fault(raw, "it extends nothing");
        object? type = name.StartsWith('.') ? builder.Root.Find(name[1..]) : scope.Resolve(name);
        string? declaring = (type as MessageType)?.File ?? (type as EnumType)?.File;
        if (declaring is not null && !builder.Sees(file, declaring))
            throw Fault(raw, $"{name} is declared in {PathText.Shown(declaring, 200)}, which the file does not import: "
                + "write the set by protoc");
        return type;
    }

    private WireException Fault(RawField raw, string reason) =>
        SchemaBuilder.Fault(file.Name, scope.FullNameOf(raw.Name), reason);

    // lowerCamelCase for snake_case.
    public static string ToJsonName(string name)
    {
        StringBuilder json = new();
        bool raise = false;
        foreach (char c in name)
        {
            if (c != '_') json.Append(raise ? char.ToUpperInvariant(c) : c);
            raise = c == '_';
        }
        return json.ToString();
    }
}
