namespace MemPrims.Wire;

// Any, times, field masks, free JSON values, wrappers.
internal ref partial struct JsonParser
{
    private void Special(Message message, int depth)
    {
        switch (message.Type.WellKnown)
        {
            case WellKnown.Any: Any(message, depth); break;
            case WellKnown.Timestamp:
                if (!JsonTimes.TryParseTimestamp(Text("a time"), out long seconds, out int nanos))
                    throw Fault("expected a time like 1972-01-01T10:00:20.021Z, with a year from 1 to 9999");
                SetTime(message, seconds, nanos);
                break;
            case WellKnown.Duration:
                if (!JsonTimes.TryParseDuration(Text("a duration"), out seconds, out nanos))
                    throw Fault("expected a duration like 1.5s, of at most 315,576,000,000 s");
                SetTime(message, seconds, nanos);
                break;
            case WellKnown.FieldMask: Mask(message); break;
            case WellKnown.Struct or WellKnown.ListValue:
                MessageField content = message.Type.Fields[0];
                if (content.IsMap && _json.TokenType != JsonTokenType.StartObject)
                    throw Fault($"an object is expected for a Struct, not {Found}");
                _place.Enter(content);
                Field(message, content, depth);
                _place.Leave();
                break;
            case WellKnown.Value: Value(message, depth); break;
            default:
                MessageField wrapped = message.Type.Fields[0];
                if (TryValue(wrapped, depth, out Slot slot)) Store(message, wrapped, slot);
                break;
        }
    }

    // The type may come after the fields, so it is looked for first, by a reader that goes ahead.
    private void Any(Message message, int depth)
    {
        if (_json.TokenType != JsonTokenType.StartObject) throw Fault($"an object is expected for an Any, not {Found}");
        if (TypeUrl() is not { } url)
        {
            Next();
            if (_json.TokenType != JsonTokenType.EndObject) throw Fault("an Any names its type by @type");
            return;
        }
        if (!message.Type.Schema.TryGetByUrl(url, out MessageType? type)) throw Fault(JsonWriter.UnknownAny(url));
        if (++_anys > JsonWriter.MostAnys) throw Fault(JsonWriter.TooManyAnys);
        Message inner = type.New();
        if (depth < 1) throw TooDeep();
        Fields(inner, depth - 1, isAny: true);
        _anys--;
        if (type.MayMissRequired && !options.AllowPartial) RequiredCheck.Run(inner, nameof(JsonParseOptions));
        message.Set("type_url", url);
        message.Set("value", inner.ToByteArray());
    }

    // Mostly the type comes first. Where it does not, what lies before it is read twice.
    private readonly string? TypeUrl()
    {
        Utf8JsonReader ahead = _json;
        while (ahead.Read() && ahead.TokenType != JsonTokenType.EndObject)
        {
            bool isType = TextOf(in ahead) == "@type";
            ahead.Read();
            if (isType && ahead.TokenType != JsonTokenType.String) throw Fault("@type is text");
            if (isType) return TextOf(in ahead);
            Pass(ref ahead);
        }
        return null;
    }

    private static void SetTime(Message message, long seconds, int nanos)
    {
        message.Set("seconds", seconds);
        message.Set("nanos", nanos);
    }

    private readonly void Mask(Message message)
    {
        string text = Text("a list of paths");
        if (text.Length == 0) return;
        foreach (string json in text.Split(','))
        {
            string? path = MaskPaths.FromJson(json);
            if (path is null) throw Fault($"'{PathText.Shown(json)}' is no path like fooBar.baz");
            message.Add("paths", path);
        }
    }

    private void Value(Message message, int depth)
    {
        MessageField field = message.Type.Require(_json.TokenType switch
        {
            JsonTokenType.Null => "null_value",
            JsonTokenType.Number => "number_value",
            JsonTokenType.String => "string_value",
            JsonTokenType.True or JsonTokenType.False => "bool_value",
            JsonTokenType.StartObject => "struct_value",
            _ => "list_value",
        });
        _place.Enter(field);
        // A list or object lies in the value: one level of JSON, one of the budget.
        if (TryValue(field, depth + 1, out Slot slot)) Store(message, field, slot);
        _place.Leave();
    }
}
