using System.Text.Json;

namespace MemPrims.Tool.Output;

// A value of a report or a dump in JSON. Bytes are base64, so that they come back as they were.
internal static class JsonLine
{
    public static void Write(Utf8JsonWriter json, object value)
    {
        switch (value)
        {
            case string text: json.WriteStringValue(text); break;
            case bool holds: json.WriteBooleanValue(holds); break;
            case int number: json.WriteNumberValue(number); break;
            case long number: json.WriteNumberValue(number); break;
            case ulong number: json.WriteNumberValue(number); break;
            case IEnumerable<string> list:
                json.WriteStartArray();
                foreach (string item in list) json.WriteStringValue(item);
                json.WriteEndArray();
                break;
            case byte[] bytes: json.WriteBase64StringValue(bytes); break;
            default: throw new NotSupportedException($"Output has no {value.GetType().Name}.");
        }
    }
}
