using System.Text;

namespace MemPrims.Wire;

public sealed partial class MessageType
{
    private Dictionary<string, MessageField>? _jsonNames;

    // The fields by both of their names, made when first asked for.
    internal Dictionary<string, MessageField> JsonNames => _jsonNames ??= MakeJsonNames();

    /// <summary>Reads a message from UTF-8 JSON.</summary>
    /// <exception cref="WireException">It is no JSON, or not of this message; it tells the offset and the field.</exception>
    public Message ParseJson(ReadOnlySpan<byte> json) => ParseJson(json, null);

    /// <summary>Reads a message from UTF-8 JSON.</summary>
    /// <exception cref="WireException">It is no JSON, or not of this message; it tells the offset and the field.</exception>
    public Message ParseJson(ReadOnlySpan<byte> json, JsonParseOptions? options)
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
        if (!Utf16.IsWhole(json))
        {
            int half = 0;
            while (!char.IsSurrogate(json[half]) || (half + 1 < json.Length && char.IsSurrogatePair(json, half)))
                half += char.IsSurrogate(json[half]) ? 2 : 1;
            throw new WireException("the JSON has half of a surrogate pair", Encoding.UTF8.GetByteCount(json.AsSpan(0, half)), "");
        }
        return ParseJson(Encoding.UTF8.GetBytes(json), options);
    }

    private Dictionary<string, MessageField> MakeJsonNames()
    {
        Dictionary<string, MessageField> names = new(StringComparer.Ordinal);
        foreach (MessageField field in Fields) names.TryAdd(field.JsonName, field);
        foreach (MessageField field in Fields) names.TryAdd(field.Name, field);
        return names;
    }
}
