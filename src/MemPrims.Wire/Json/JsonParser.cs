namespace MemPrims.Wire;

// Reads a message from JSON. Fields are named as in JSON or in the .proto file, each at most once. A field that is null is left
// unset. Errors tell the offset of the token and the field. JsonParser.Values has single values, JsonParser.WellKnown the types with a
// form of their own.
internal ref partial struct JsonParser(ReadOnlySpan<byte> json, JsonParseOptions options)
{
    private const string Ignores = "JsonParseOptions.IgnoreUnknown passes over it";

    private readonly MessagePath _place = new();

    // Depth is counted here: lists and maps are levels of JSON, but none of messages.
    private readonly int _levels = (int)Math.Min(int.MaxValue, 4L * options.MaxDepth + 16);
    private Utf8JsonReader _json = new(json, new JsonReaderOptions { MaxDepth = int.MaxValue });
    private int _anys;

    public static void Parse(Message message, ReadOnlySpan<byte> json, JsonParseOptions options)
    {
        JsonParser parser = new(json, options);
        try
        {
            parser.Next();
            parser.Message(message, options.MaxDepth);
            // Throws if anything but white space follows.
            parser._json.Read();
        }
        catch (JsonException e)
        {
            // WireException adds the place itself, so it is cut off here.
            int place = e.Message.IndexOf(" LineNumber: ", StringComparison.Ordinal);
            throw parser.Fault($"this is no JSON: {PathText.Shown(place < 0 ? e.Message : e.Message[..place].TrimEnd('.'), 200)}", e);
        }
        if (message.Type.MayMissRequired && !options.AllowPartial) RequiredCheck.Run(message, nameof(JsonParseOptions));
    }

    private readonly string Found => _json.TokenType switch
    {
        JsonTokenType.StartObject => "an object",
        JsonTokenType.StartArray => "an array",
        JsonTokenType.String => "text",
        JsonTokenType.Number => "a number",
        JsonTokenType.True => "true",
        JsonTokenType.False => "false",
        _ => "null",
    };

    private readonly string Text() => TextOf(in _json);

    private readonly string TextOf(in Utf8JsonReader json)
    {
        try
        {
            return json.GetString()!;
        }
        catch (InvalidOperationException e)
        {
            throw Fault("a text is not UTF-8, or has half of a surrogate pair", e);
        }
    }

    private void Next()
    {
        if (!_json.Read()) throw Fault("the JSON ends before its value");
    }

    private readonly void Pass(ref Utf8JsonReader json)
    {
        int depth = json.CurrentDepth;
        if (json.TokenType is not (JsonTokenType.StartObject or JsonTokenType.StartArray)) return;
        while (json.Read() && json.CurrentDepth > depth)
            if (json.CurrentDepth > _levels) throw TooDeep();
    }

    private readonly WireException TooDeep() =>
        Fault($"nested deeper than {options.MaxDepth} levels. Raise JsonParseOptions.MaxDepth if the sender is trusted");

    // At the first token of a value.
    private void Message(Message message, int depth)
    {
        if (depth < 0) throw TooDeep();
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack()) throw Fault(WireErrors.NoStack);
        if (message.Type.WellKnown != WellKnown.None) Special(message, depth);
        else Fields(message, depth, isAny: false);
    }

    // An Any has @type beside its fields; one of a type with a form of its own has that form in value.
    private void Fields(Message message, int depth, bool isAny)
    {
        if (_json.TokenType != JsonTokenType.StartObject)
            throw Fault($"an object is expected for a {message.Type.FullName}, not {Found}");
        HashSet<MessageField>? seen = null;
        HashSet<Oneof>? seenOneofs = null;
        bool isSpecial = isAny && message.Type.WellKnown != WellKnown.None, hasType = false, hasValue = false;
        for (Next(); _json.TokenType != JsonTokenType.EndObject; Next())
        {
            string name = Text();
            if (isAny && name == "@type")
            {
                if (hasType) throw Fault("@type is there twice");
                hasType = true;
                Next();
                continue;
            }
            if (isSpecial && name == "value" && !hasValue)
            {
                hasValue = true;
                Next();
                Message(message, depth);
                continue;
            }
            if (isSpecial || !message.Type.JsonNames.TryGetValue(name, out MessageField? field))
            {
                if (!options.IgnoreUnknown) throw Fault(!isSpecial ? $"{message.Type.NoFieldText(name).TrimEnd('.')}. {Ignores}"
                    : $"an Any of a {message.Type.FullName} has @type and value, not '{PathText.Shown(name)}'");
                Next();
                Pass(ref _json);
                continue;
            }
            _place.Enter(field);
            if (!(seen ??= []).Add(field)) throw Fault("the field is there twice");
            Next();
            if (_json.TokenType != JsonTokenType.Null || (HasNull(field) && !field.IsRepeated))
            {
                if (field.Oneof is not null && !(seenOneofs ??= []).Add(field.Oneof))
                    throw Fault($"another field of the oneof {field.Oneof.Name} is there as well");
                Field(message, field, depth);
            }
            _place.Leave();
        }
        if (isSpecial && !hasValue) throw Fault($"an Any of a {message.Type.FullName} has its JSON in value, which is missing");
    }

    // Whether null is a value of the field, or of its list.
    private static bool HasNull(MessageField field) =>
        field.MessageType?.WellKnown == WellKnown.Value || field.EnumType?.FullName == WellKnownTypes.NullValue;

    private void Field(Message message, MessageField field, int depth)
    {
        if (field.IsMap) Map(message, field, depth);
        else if (field.IsRepeated) List(message, field, depth);
        else if (TryValue(field, depth, out Slot slot)) Store(message, field, slot);
    }

    private static void Store(Message message, MessageField field, Slot slot)
    {
        if (slot.Ref is { } value) message.SetValue(field, value);
        else message.SetBits(field, slot.Bits);
    }

    private void List(Message message, MessageField field, int depth)
    {
        if (_json.TokenType != JsonTokenType.StartArray) throw Fault($"an array is expected, not {Found}");
        int index = 0;
        for (Next(); _json.TokenType != JsonTokenType.EndArray; Next(), index++)
        {
            _place.At(index);
            if (_json.TokenType == JsonTokenType.Null && !HasNull(field)) throw Fault("a list cannot contain null");
            if (TryValue(field, depth, out Slot slot)) message.AddSlot(field, slot);
        }
    }

    private void Map(Message message, MessageField field, int depth)
    {
        if (_json.TokenType != JsonTokenType.StartObject) throw Fault($"an object is expected for a map, not {Found}");
        MessageField keyField = field.MessageType!.Fields[0], valueField = field.MessageType.Fields[1];
        for (Next(); _json.TokenType != JsonTokenType.EndObject; Next())
        {
            string key = Text();
            _place.AtKey(key);
            Message entry = field.MessageType.New();
            Store(entry, keyField, KeyOf(keyField, key));
            Next();
            if (_json.TokenType == JsonTokenType.Null && !HasNull(valueField)) throw Fault("a map cannot contain null");
            if (!TryValue(valueField, depth, out Slot slot)) continue;
            Store(entry, valueField, slot);
            int before = message.Count(field);
            message.AddValue(field, entry);
            if (message.Count(field) == before) throw Fault("the key is there twice");
        }
    }

    private Slot KeyOf(MessageField field, string key)
    {
        if (field.Kind == FieldKind.String) return new() { Ref = key };
        if (!JsonNumbers.TryParseKey(field.Kind, Encoding.UTF8.GetBytes(key), out ulong bits))
            throw Fault($"'{PathText.Shown(key)}' is no {field.KindName}, which the keys of this map are");
        return new() { Bits = bits };
    }

    private readonly WireException Fault(string reason, Exception? inner = null) =>
        new(reason, inner is null ? _json.TokenStartIndex : _json.BytesConsumed, _place.ToString(), inner);
}
