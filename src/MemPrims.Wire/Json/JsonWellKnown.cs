using System.Text.Json;

namespace MemPrims.Wire;

// Writes the messages that have a form of their own: Any, times, field masks, free JSON values, wrappers.
internal static class JsonWellKnown
{
    // How many Anys may lie in each other, whatever depth is allowed. Each is encoded in the bytes of the one above, so n of them copy n
    // times what they hold: 16,000 took 7.5 s and 5.5 GB for 1.1 MB of JSON.
    public const int MostAnys = 100;

    public const string TooManyAnys = "more than 100 Anys lie in each other, which no option allows";

    public static void Write(JsonWriter writer, Utf8JsonWriter json, Message message, int depth)
    {
        switch (message.Type.WellKnown)
        {
            case WellKnown.Any: WriteAny(writer, json, message, depth); break;
            case WellKnown.Timestamp: json.WriteStringValue(JsonTimes.TimestampText(message.Get<long>(1), message.Get<int>(2))); break;
            case WellKnown.Duration: json.WriteStringValue(JsonTimes.DurationText(message.Get<long>(1), message.Get<int>(2))); break;
            case WellKnown.FieldMask: json.WriteStringValue(MaskText(message)); break;
            case WellKnown.Struct: WriteStruct(writer, json, message, depth); break;
            case WellKnown.ListValue: WriteList(writer, json, message, depth); break;
            case WellKnown.Value: WriteValue(writer, json, message, depth); break;
            default: WriteWrapped(writer, message, depth); break;
        }
    }

    private static void WriteAny(JsonWriter writer, Utf8JsonWriter json, Message message, int depth)
    {
        json.WriteStartObject();
        string url = message.Get<string>(1);
        if (url.Length > 0 || message.Has(2))
        {
            if (!message.Type.Schema.TryGetByUrl(url, out MessageType? type))
                throw new WireException(UnknownAny(url));
            if (writer.Anys == MostAnys) throw new WireException(TooManyAnys);
            writer = writer.InAny();
            Message inner = DecodeAny(message, type);
            json.WriteString("@type", url);
            if (type.WellKnown == WellKnown.None)
            {
                JsonWriter.CheckDepth(depth - 1, writer.Options);
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

    public static string UnknownAny(string url) =>
        $"an Any of the type '{PathText.Shown(url)}', which the schema does not have. "
        + "Load the .proto file that declares it together with the others";

    // Offsets in the value of an Any are none in the message.
    private static Message DecodeAny(Message any, MessageType type)
    {
        try
        {
            return type.Decode(any.Get<ReadOnlyMemory<byte>>(2).Span, new() { AllowPartial = true });
        }
        catch (WireException e)
        {
            throw new WireException($"the {type.FullName} in the Any is damaged: {e.Message}", e);
        }
    }

    private static void WriteStruct(JsonWriter writer, Utf8JsonWriter json, Message message, int depth)
    {
        MessageField fields = message.Type.Fields[0];
        json.WriteStartObject();
        writer.Place.Enter(fields);
        for (int i = 0; i < message.Count(fields); i++)
        {
            Message entry = (Message)message.Slots(fields)!.Items[i].Ref!;
            writer.Place.At(entry);
            json.WritePropertyName(JsonWriter.TextOf(in entry.SlotOf(0), entry));
            writer.Value(entry, entry.Type.Fields[1], ref entry.SlotOf(1), depth);
        }
        writer.Place.Leave();
        json.WriteEndObject();
    }

    private static void WriteList(JsonWriter writer, Utf8JsonWriter json, Message message, int depth)
    {
        MessageField values = message.Type.Fields[0];
        json.WriteStartArray();
        writer.Place.Enter(values);
        for (int i = 0; i < message.Count(values); i++)
        {
            writer.Place.At(i);
            writer.Value(message, values, ref message.Slots(values)!.Items[i], depth);
        }
        writer.Place.Leave();
        json.WriteEndArray();
    }

    private static void WriteValue(JsonWriter writer, Utf8JsonWriter json, Message message, int depth)
    {
        int index = message.NextSet(0);
        if (index < 0) throw new WireException("a google.protobuf.Value has no kind set, which JSON cannot express");
        MessageField field = message.Type.Fields[index];
        ref Slot slot = ref message.SlotOf(index);
        writer.Place.Enter(field);
        if (field.Number == 1) json.WriteNullValue();
        else if (field.Number == 2 && !double.IsFinite(BitConverter.UInt64BitsToDouble(slot.Bits)))
            throw new WireException("a google.protobuf.Value holds NaN or an infinity, which JSON cannot express");
        else writer.Value(message, field, ref slot, depth);
        writer.Place.Leave();
    }

    private static void WriteWrapped(JsonWriter writer, Message message, int depth)
    {
        MessageField field = message.Type.Fields[0];
        Slot zero = new() { Ref = field.Kind == FieldKind.String ? "" : Array.Empty<byte>() };
        if (message.IsSet(0)) writer.Value(message, field, ref message.SlotOf(0), depth);
        else writer.Value(message, field, ref zero, depth);
    }

    private static string MaskText(Message message)
    {
        MessageField paths = message.Type.Fields[0];
        List<string> texts = [];
        for (int i = 0; i < message.Count(paths); i++) texts.Add(MaskPaths.ToJson(new RepeatedField(message, paths).At<string>(i)));
        return string.Join(",", texts);
    }
}
