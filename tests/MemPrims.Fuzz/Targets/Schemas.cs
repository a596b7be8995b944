using MemPrims.Wire;

namespace MemPrims.Fuzz;

/// <summary>
/// The types that messages are read as: every kind in every form of proto2 and proto3, well-known types, a type within itself.
/// </summary>
internal static class Schemas
{
    public static byte[] Everything { get; } = File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "Schema", "everything.binpb"));

    public static MessageSchema All { get; } = MessageSchema.Load(Everything);

    private static readonly MessageType[] s_types = [All["memprims.test.Order"], All["memprims.test.Everything3"],
        All["memprims.test2.Everything2"], All["memprims.test.Known"], All["memprims.test.Inner3"]];

    public static int Count => s_types.Length;

    public static MessageType Of(byte head) => s_types[head % s_types.Length];

    /// <summary>Messages whose fields are all set, some of them to their depth; each with the number of its type.</summary>
    public static IEnumerable<(byte Type, Message Message)> Samples()
    {
        for (byte type = 0; type < Count; type++)
            for (int sample = 0; sample < 12; sample++) yield return (type, Filled(s_types[type], sample, 3));
    }

    private static Message Filled(MessageType type, int sample, int depth)
    {
        Message message = type.New();
        int at = 0;
        foreach (MessageField field in type.Fields)
        {
            // Each sample has a twelfth of the fields of a long type, and every one has all of a short one.
            if (type.Fields.Count > 20 && at++ % 12 != sample) continue;
            if (field.MessageType is { IsMapEntry: true } entry) FillMap(message, field, entry, sample, depth);
            else if (field.MessageType is { } inner)
            {
                if (depth == 0) continue;
                Message filled = WellKnown(inner, sample) ?? Filled(inner, sample, depth - 1);
                if (field.IsRepeated) message.Add(field.Name, filled);
                else message.Set(field.Name, filled);
            }
            else if (field.IsRepeated) for (int i = 0; i < 3; i++) message.Add(field.Name, Value(field, sample + i));
            else message.Set(field.Name, Value(field, sample));
        }
        return message;
    }

    private static void FillMap(Message message, MessageField field, MessageType entry, int sample, int depth)
    {
        MapView<object, object> map = message.Map<object, object>(field.Name);
        for (int i = 0; i < 2; i++)
        {
            if (entry.Fields[1].MessageType is not { } inner) map[Value(entry.Fields[0], sample + i)] = Value(entry.Fields[1], sample + i);
            else if (depth > 0)
                map[Value(entry.Fields[0], sample + i)] = WellKnown(inner, sample) ?? Filled(inner, sample, depth - 1);
        }
    }

    // Those that have not every content that their fields would have.
    private static Message? WellKnown(MessageType type, int sample)
    {
        Message message = type.New();
        switch (type.FullName)
        {
            case "google.protobuf.Any":
                message.Pack(Filled(Of(0), sample, 0));
                return message;
            case "google.protobuf.Timestamp" or "google.protobuf.Duration":
                message.Set("seconds", 1_700_000_000L + sample);
                message.Set("nanos", 500_000_000);
                return message;
            case "google.protobuf.FieldMask":
                message.Add("paths", "one_field.other");
                return message;
            case "google.protobuf.Value":
                message.Set("number_value", 1.5);
                return message;
            default:
                return null;
        }
    }

    private static object Value(MessageField field, int sample) => field.Kind switch
    {
        FieldKind.Double => sample + 0.5,
        FieldKind.Float => sample + 0.5f,
        FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64 => -1L - sample,
        FieldKind.UInt64 or FieldKind.Fixed64 => ulong.MaxValue - (ulong)sample,
        FieldKind.Int32 or FieldKind.SInt32 or FieldKind.SFixed32 => 300 * sample,
        FieldKind.UInt32 or FieldKind.Fixed32 => uint.MaxValue - (uint)sample,
        FieldKind.Bool => sample % 2 == 0,
        FieldKind.String => $"text € {sample}",
        FieldKind.Bytes => new byte[] { 0, 0xFF, (byte)sample },
        _ => field.EnumType!.Values[sample % field.EnumType.Values.Count].Item2,
    };

    /// <summary>Goes into every sub-message, where faults are found late.</summary>
    public static Message Visit(Message message)
    {
        foreach (MessageField field in message.SetFields)
        {
            if (field.MessageType is null) continue;
            if (!field.IsRepeated) Visit(message.Get<Message>(field.Name)!);
            else for (int i = 0; i < message.CountOf(field.Name); i++) Visit(message.GetAt<Message>(field.Name, i));
        }
        return message;
    }

    public static Message? Try(Func<Message> make)
    {
        try
        {
            return make();
        }
        catch (WireException)
        {
            return null;
        }
    }
}
