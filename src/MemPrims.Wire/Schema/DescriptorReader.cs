namespace MemPrims.Wire;

// Reads a FileDescriptorSet into RawFiles. Descriptors describe themselves, so this one is written by hand: a loop over
// fields per message.
internal ref struct DescriptorReader(SchemaLimits limits)
{
    private static readonly UTF8Encoding s_strict = new(false, true);

    private int _types, _fields, _oneofs;
    private string _file = "";

    public static List<RawFile> Read(ReadOnlySpan<byte> set, SchemaLimits limits)
    {
        if (set.Length > limits.MaxBytes)
            throw SchemaLimits.Above($"the set has {set.Length} bytes", limits.MaxBytes, nameof(limits.MaxBytes), "");
        DescriptorReader reader = new(limits);
        List<RawFile> files = [];
        WireScanner scan = new(set, 0);
        try
        {
            while (scan.Next())
                if (scan.Is(1, WireType.Bytes))
                {
                    if (files.Count == limits.MaxFiles)
                        throw SchemaLimits.Above("more files", limits.MaxFiles, nameof(limits.MaxFiles), "");
                    files.Add(reader.File(scan.Inner()));
                    reader._file = "";
                }
                else scan.Skip();
        }
        catch (WireException e) when (e.Path.Length == 0 && e.Offset >= 0 && !e.Reason.Contains(nameof(SchemaLimits)))
        {
            if (reader._file.Length > 0) throw new WireException(e.Reason, e.Offset, reader._file, e);
            if (files.Count > 0) throw new WireException($"{e.Reason}, behind the file {PathText.Shown(files[^1].Name)}", e.Offset, "", e);
            throw new WireException($"{NoSet}: {e.Reason}", e.Offset, "", e);
        }
        if (files.Count == 0 && set.Length > 0) throw new WireException(NoSet, 0, "");
        return files;
    }

    private const string NoSet = "this is no FileDescriptorSet. Write one by protoc --descriptor_set_out=FILE --include_imports";

    private RawFile File(WireScanner scan)
    {
        RawFile file = new();
        // The name comes first in what protoc writes; errors before it name no file.
        while (scan.Next())
        {
            if (scan.WireType != WireType.Bytes && scan.Number is not (10 or 14)) { scan.Skip(); continue; }
            switch (scan.Number)
            {
                case 1: _file = file.Name = Text(ref scan, "the file name"); break;
                case 2: file.Package = Text(ref scan, "package"); break;
                case 3: file.Imports.Add(Text(ref scan, "dependency")); break;
                case 4: file.Messages.Add(Message(scan.Inner(), 1)); break;
                case 5: file.Enums.Add(Enum(scan.Inner())); break;
                case 7: file.Extensions.Add(Field(scan.Inner())); break;
                case 8: FileOptions(scan.Inner(), file); break;
                case 10 when scan.WireType == WireType.Varint: (file.PublicImports ??= []).Add((int)scan.Varint()); break;
                case 10 when scan.WireType == WireType.Bytes:
                    for (WireScanner packed = scan.Inner(); !packed.IsAtEnd;) (file.PublicImports ??= []).Add((int)packed.Varint());
                    break;
                case 12: file.Syntax = Text(ref scan, "syntax"); break;
                case 14 when scan.WireType == WireType.Varint: file.Edition = (int)scan.Varint(); break;
                default: scan.Skip(); break;
            }
        }
        return file;
    }

    private static void FileOptions(WireScanner scan, RawFile file)
    {
        while (scan.Next())
            if (scan.Is(50, WireType.Bytes)) file.Features = ReadFeatures(scan.Inner(), file.Features);
            else scan.Skip();
    }

    private RawMessage Message(WireScanner scan, int depth)
    {
        CountType();
        if (depth > limits.MaxNesting)
            throw SchemaLimits.Above($"{depth} levels of messages", limits.MaxNesting, nameof(limits.MaxNesting), _file, scan.Offset);
        RawMessage message = new();
        while (scan.Next())
        {
            if (scan.WireType != WireType.Bytes) { scan.Skip(); continue; }
            switch (scan.Number)
            {
                case 1: message.Name = Text(ref scan, "a message's name"); break;
                case 2: message.Fields.Add(Field(scan.Inner())); break;
                case 3: message.Messages.Add(Message(scan.Inner(), depth + 1)); break;
                case 4: message.Enums.Add(Enum(scan.Inner())); break;
                case 5: Range(scan.Inner(), message.ExtensionRanges); break;
                case 6: message.Extensions.Add(Field(scan.Inner())); break;
                case 7: MessageOptions(scan.Inner(), message); break;
                case 8: message.Oneofs.Add(Oneof(scan.Inner())); break;
                default: scan.Skip(); break;
            }
        }
        return message;
    }

    private static void MessageOptions(WireScanner scan, RawMessage message)
    {
        while (scan.Next())
            if (scan.Is(1, WireType.Varint)) message.IsMessageSet = scan.Varint() != 0;
            else if (scan.Is(7, WireType.Varint)) message.IsMapEntry = scan.Varint() != 0;
            else if (scan.Is(12, WireType.Bytes)) message.Features = ReadFeatures(scan.Inner(), message.Features);
            else scan.Skip();
    }

    private static void Range(WireScanner scan, List<int> ranges)
    {
        int start = 0, end = 0;
        while (scan.Next())
            if (scan.Is(1, WireType.Varint)) start = (int)scan.Varint();
            else if (scan.Is(2, WireType.Varint)) end = (int)scan.Varint();
            else scan.Skip();
        ranges.Add(start);
        ranges.Add(end);
    }

    private RawField Field(WireScanner scan)
    {
        if (++_fields > limits.MaxFields)
            throw SchemaLimits.Above("more fields", limits.MaxFields, nameof(limits.MaxFields), _file, scan.Offset);
        RawField field = new();
        while (scan.Next())
            switch (scan.Number, scan.WireType)
            {
                case (1, WireType.Bytes): field.Name = Text(ref scan, "a field's name"); break;
                case (2, WireType.Bytes): field.Extendee = Text(ref scan, "extendee"); break;
                case (3, WireType.Varint): field.Number = (int)scan.Varint(); break;
                case (4, WireType.Varint): field.Label = (int)scan.Varint(); break;
                case (5, WireType.Varint): field.Kind = (int)scan.Varint(); break;
                case (6, WireType.Bytes): field.TypeName = Text(ref scan, "a field's type"); break;
                case (7, WireType.Bytes): field.Default = scan.Bytes().ToArray(); break;
                case (8, WireType.Bytes): FieldOptions(scan.Inner(), field); break;
                case (9, WireType.Varint): field.Oneof = (int)scan.Varint(); break;
                case (10, WireType.Bytes): field.JsonName = Text(ref scan, "a field's JSON name"); break;
                case (17, WireType.Varint): field.IsProto3Optional = scan.Varint() != 0; break;
                default: scan.Skip(); break;
            }
        return field;
    }

    private static void FieldOptions(WireScanner scan, RawField field)
    {
        while (scan.Next())
            if (scan.Is(2, WireType.Varint)) field.Packed = scan.Varint() != 0;
            else if (scan.Is(21, WireType.Bytes)) field.Features = ReadFeatures(scan.Inner(), field.Features);
            else scan.Skip();
    }

    private string Oneof(WireScanner scan)
    {
        if (++_oneofs > limits.MaxOneofs)
            throw SchemaLimits.Above("more oneofs", limits.MaxOneofs, nameof(limits.MaxOneofs), _file, scan.Offset);
        string name = "";
        while (scan.Next())
            if (scan.Is(1, WireType.Bytes)) name = Text(ref scan, "a oneof's name");
            else scan.Skip();
        return name;
    }

    private RawEnum Enum(WireScanner scan)
    {
        CountType();
        RawEnum @enum = new();
        while (scan.Next())
            if (scan.Is(1, WireType.Bytes)) @enum.Name = Text(ref scan, "an enum's name");
            else if (scan.Is(2, WireType.Bytes)) EnumValue(scan.Inner(), @enum);
            else if (scan.Is(3, WireType.Bytes)) EnumOptions(scan.Inner(), @enum);
            else scan.Skip();
        return @enum;
    }

    private static void EnumOptions(WireScanner scan, RawEnum @enum)
    {
        while (scan.Next())
            if (scan.Is(2, WireType.Varint)) @enum.AllowsAlias = scan.Varint() != 0;
            else if (scan.Is(7, WireType.Bytes)) @enum.Features = ReadFeatures(scan.Inner(), @enum.Features);
            else scan.Skip();
    }

    private void EnumValue(WireScanner scan, RawEnum @enum)
    {
        string name = "";
        int number = 0;
        while (scan.Next())
            if (scan.Is(1, WireType.Bytes)) name = Text(ref scan, "an enum value's name");
            else if (scan.Is(2, WireType.Varint)) number = (int)scan.Varint();
            else scan.Skip();
        @enum.Names.Add(name);
        @enum.Numbers.Add(number);
    }

    private static Features ReadFeatures(WireScanner scan, Features features)
    {
        while (scan.Next())
        {
            if (scan.WireType != WireType.Varint) { scan.Skip(); continue; }
            // As protobuf does, a value that the feature does not declare is passed over.
            ulong given = scan.Varint();
            if (given > 3) continue;
            byte value = (byte)given;
            switch (scan.Number)
            {
                case 1: features.Presence = value; break;
                case 2: features.EnumType = value; break;
                case 3: features.Repeated = value; break;
                case 4: features.Utf8 = value; break;
                case 5: features.Encoding = value; break;
            }
        }
        return features;
    }

    private void CountType()
    {
        if (++_types > limits.MaxTypes)
            throw SchemaLimits.Above("more messages and enums", limits.MaxTypes, nameof(limits.MaxTypes), _file);
    }

    private readonly string Text(ref WireScanner scan, string what)
    {
        long offset = scan.Offset;
        try
        {
            string text = s_strict.GetString(scan.Bytes());
            return text.Length <= limits.MaxNameLength ? text : throw SchemaLimits.Above(
                $"{what} has {text.Length} characters", limits.MaxNameLength, nameof(limits.MaxNameLength), _file, offset);
        }
        catch (DecoderFallbackException e)
        {
            throw new WireException($"{what} is not UTF-8", offset, _file, e);
        }
    }
}
