namespace MemPrims.Wire;

// The messages that have a form of their own: Any, times, field masks, free JSON values, wrappers.
internal readonly partial struct JsonWriter
{
    // How many Anys may lie in each other, whatever depth is allowed. Each is encoded in the bytes of the one above, so n of them copy n
    // times what they hold: 16,000 took 7.5 s and 5.5 GB for 1.1 MB of JSON.
    public const int MostAnys = 100;

    public const string TooManyAnys = "more than 100 Anys lie in each other, which no option allows";

    public static string UnknownAny(string url) =>
        $"an Any of the type '{PathText.Shown(url)}', which the schema does not have. "
        + "Load the .proto file that declares it together with the others";

    private void Special(Message message, int depth)
    {
        switch (message.Type.WellKnown)
        {
            case WellKnown.Any: Any(message, depth); break;
            case WellKnown.Timestamp: json.WriteStringValue(JsonTimes.TimestampText(message)); break;
            case WellKnown.Duration: json.WriteStringValue(JsonTimes.DurationText(message)); break;
            case WellKnown.FieldMask: json.WriteStringValue(MaskText(message)); break;
            case WellKnown.Struct or WellKnown.ListValue: Content(message, message.Type.Fields[0], depth); break;
            case WellKnown.Value: FreeValue(message, depth); break;
            default: ValueOrZero(message, message.Type.Fields[0], depth); break;
        }
    }

    private void Any(Message message, int depth)
    {
        json.WriteStartObject();
        string url = message.Get<string>("type_url");
        if (url.Length > 0 || message.Has("value"))
        {
            if (!message.Type.Schema.TryGetByUrl(url, out MessageType? type))
                throw new WireException(UnknownAny(url));
            if (anys == MostAnys) throw new WireException(TooManyAnys);
            JsonWriter writer = new(json, options, place, anys + 1);
            Message inner = DecodeAny(message, type);
            json.WriteString("@type", url);
            if (type.WellKnown == WellKnown.None)
            {
                CheckDepth(depth - 1);
                writer.Fields(inner, depth - 1);
            }
            else
            {
                json.WritePropertyName("value");
                writer.Message(inner, depth - 1);
            }
        }
        json.WriteEndObject();
    }

    // Offsets in the value of an Any are none in the message.
    private static Message DecodeAny(Message any, MessageType type)
    {
        try
        {
            return type.Decode(any.Get<ReadOnlyMemory<byte>>("value").Span, new() { AllowPartial = true });
        }
        catch (WireException e)
        {
            throw new WireException($"the {type.FullName} in the Any is damaged: {e.Message}", e);
        }
    }

    private void FreeValue(Message message, int depth)
    {
        int index = message.NextSet(0);
        if (index < 0) throw new WireException("a google.protobuf.Value has no kind set, which JSON cannot express");
        MessageField field = message.Type.Fields[index];
        ref Slot slot = ref message.SlotOf(index);
        place.Enter(field);
        if (field.Number == 1) json.WriteNullValue();
        else if (field.Number == 2 && !double.IsFinite(BitConverter.UInt64BitsToDouble(slot.Bits)))
            throw new WireException("a google.protobuf.Value holds NaN or an infinity, which JSON cannot express");
        else Value(message, field, ref slot, depth);
        place.Leave();
    }

    private static string MaskText(Message message)
    {
        MessageField paths = message.Type.Fields[0];
        List<string> texts = [];
        for (int i = 0; i < message.Count(paths); i++) texts.Add(MaskPaths.ToJson(message.At<string>(paths, i)));
        return string.Join(",", texts);
    }
}
