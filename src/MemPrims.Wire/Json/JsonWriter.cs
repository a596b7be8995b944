using System.Text.Encodings.Web;

namespace MemPrims.Wire;

// Writes a message as the protobuf JSON mapping says: fields in the order of their numbers, 64-bit numbers as strings, bytes as base64,
// enums by name.
// JsonWriter.WellKnown has the types with a form of their own.
internal readonly partial struct JsonWriter(Utf8JsonWriter json, JsonWriteOptions options, MessagePath place, int anys = 0)
{
    public static string ToText(Message message, JsonWriteOptions options)
    {
        ArrayBufferWriter<byte> buffer = new();
        JsonWriterOptions form = new()
        {
            Indented = options.Indented, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true,
            MaxDepth = int.MaxValue,
        };
        MessagePath place = new();
        try
        {
            using Utf8JsonWriter json = new(buffer, form);
            new JsonWriter(json, options, place).Message(message, options.MaxDepth);
        }
        catch (WireException e) when (e.Path.Length == 0 && e.Offset < 0)
        {
            throw new WireException(e.Reason, -1, place.ToString(), e);
        }
        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }

    public void Message(Message message, int depth)
    {
        CheckDepth(depth);
        if (message.Type.WellKnown != WellKnown.None) Special(message, depth);
        else
        {
            json.WriteStartObject();
            Fields(message, depth);
            json.WriteEndObject();
        }
    }

    private void CheckDepth(int depth)
    {
        if (depth < 0 || !RuntimeHelpers.TryEnsureSufficientExecutionStack())
            throw new WireException(depth < 0
                ? $"nested deeper than {options.MaxDepth} levels. Raise JsonWriteOptions.MaxDepth if that is meant"
                : WireErrors.NoStack);
    }

    private void Fields(Message message, int depth)
    {
        if (options.WriteDefaults)
        {
            foreach (MessageField field in message.Type.Fields)
                if (message.IsSet(field.Index) || (!field.HasPresence && !field.IsExtension)) Field(message, field, depth);
            return;
        }
        for (int index = message.NextSet(0); index >= 0; index = message.NextSet(index + 1))
            Field(message, message.Type.Fields[index], depth);
    }

    // A value of a field, or of an element of its list.
    private void Value(Message owner, MessageField field, ref Slot slot, int depth)
    {
        switch (field.Kind)
        {
            case FieldKind.Message or FieldKind.Group:
                Message(owner.Inner(ref slot, field.MessageType!), depth - 1);
                break;
            case FieldKind.String:
                json.WriteStringValue(TextOf(in slot, owner));
                break;
            case FieldKind.Bytes:
                json.WriteBase64StringValue(slot.Span(owner.Source));
                break;
            default:
                Scalar(field, slot.Bits);
                break;
        }
    }

    // Text for JSON, which takes whole characters only. A replacement for what is none would say something else than the message.
    private static string TextOf(in Slot slot, Message owner)
    {
        if (slot.Ref is not string && !Ascii.IsUtf8(slot.Span(owner.Source)))
            throw new WireException("the text is not UTF-8, which JSON cannot express");
        string text = slot.Text(owner.Source);
        return Utf16.IsWhole(text) ? text : throw new WireException("the text has half of a surrogate pair, which JSON cannot express");
    }

    private void Field(Message message, MessageField field, int depth)
    {
        json.WritePropertyName(options.UseProtoNames ? field.WrittenOwnName : field.WrittenName);
        Content(message, field, depth);
    }

    private void Content(Message message, MessageField field, int depth)
    {
        place.Enter(field);
        if (field.IsMap) Map(message, field, depth);
        else if (field.IsRepeated) List(message, field, depth);
        else ValueOrZero(message, field, depth);
        place.Leave();
    }

    private void ValueOrZero(Message message, MessageField field, int depth)
    {
        Slot zero = new() { Ref = field.Kind == FieldKind.String ? "" : Array.Empty<byte>() };
        Value(message, field, ref message.IsSet(field.Index) ? ref message.SlotOf(field.Index) : ref zero, depth);
    }

    private void List(Message message, MessageField field, int depth)
    {
        json.WriteStartArray();
        int count = message.Count(field);
        FieldList? list = count == 0 ? null : (FieldList)message.SlotOf(field.Index).Ref!;
        for (int i = 0; i < count; i++)
        {
            place.At(i);
            if (list is SlotList slots) Value(message, field, ref slots.Items[i], depth);
            else Scalar(field, list!.GetBits(i));
        }
        json.WriteEndArray();
    }

    private void Map(Message message, MessageField field, int depth)
    {
        json.WriteStartObject();
        MessageField key = field.MessageType!.Fields[0], value = field.MessageType.Fields[1];
        for (int i = 0; i < message.Count(field); i++)
        {
            Message entry = (Message)message.Slots(field)!.Items[i].Ref!;
            place.AtKey(entry);
            json.WritePropertyName(KeyText(entry, key));
            Value(entry, value, ref entry.SlotOf(1), depth);
        }
        json.WriteEndObject();
    }

    private static string KeyText(Message entry, MessageField key)
    {
        ref Slot slot = ref entry.SlotOf(0);
        return key.IsText ? TextOf(in slot, entry) : PathText.Number(key.Kind, slot.Bits);
    }

    private void Scalar(MessageField field, ulong bits)
    {
        switch (field.Kind)
        {
            case FieldKind.Double or FieldKind.Float:
                bool isDouble = field.Kind == FieldKind.Double;
                double number = isDouble ? BitConverter.UInt64BitsToDouble(bits) : BitConverter.UInt32BitsToSingle((uint)bits);
                if (double.IsNaN(number)) json.WriteStringValue("NaN");
                else if (double.IsInfinity(number)) json.WriteStringValue(number > 0 ? "Infinity" : "-Infinity");
                else if (isDouble) json.WriteNumberValue(number);
                else json.WriteNumberValue((float)number);
                break;
            case FieldKind.Bool:
                json.WriteBooleanValue(bits != 0);
                break;
            case FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64 or FieldKind.UInt64 or FieldKind.Fixed64:
                json.WriteStringValue(PathText.Number(field.Kind, bits));
                break;
            case FieldKind.UInt32 or FieldKind.Fixed32:
                json.WriteNumberValue((uint)bits);
                break;
            case FieldKind.Enum when field.EnumType!.FullName == WellKnownTypes.NullValue:
                json.WriteNullValue();
                break;
            case FieldKind.Enum when !options.EnumsAsNumbers && field.EnumType!.GetName((int)bits) is { } name:
                json.WriteStringValue(name);
                break;
            default:
                json.WriteNumberValue((int)bits);
                break;
        }
    }
}
