using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;

namespace MemPrims.Wire;

/// <summary>
/// Reads a message from JSON. Fields are named as in JSON or in the .proto file, each at most once; null is not set. Errors tell the
/// offset of the token and the field. JsonParser.Values has single values, JsonParser.WellKnown the types with a form of their own.
/// </summary>
internal ref partial struct JsonParser
{
    private readonly JsonParseOptions _options;
    private readonly List<string> _path = [];
    private readonly int _levels;
    private Utf8JsonReader _json;
    private int _anys;

    private JsonParser(ReadOnlySpan<byte> json, JsonParseOptions options)
    {
        _options = options;
        // Depth is counted here: lists and maps are levels of JSON, but none of messages.
        _levels = (int)Math.Min(int.MaxValue, 4L * options.MaxDepth + 16);
        _json = new(json, new JsonReaderOptions { MaxDepth = int.MaxValue });
    }

    public static void Parse(Message message, ReadOnlySpan<byte> json, JsonParseOptions options)
    {
        JsonParser parser = new(json, options);
        try
        {
            parser.Next();
            parser.Message(message, options.MaxDepth);
            // Throws where anything but white space follows.
            parser._json.Read();
        }
        catch (JsonException e)
        {
            parser.Fail($"this is no JSON: {e.Message}", e);
        }
        catch (InvalidOperationException e)
        {
            parser.Fail("a text is not UTF-8, or has half of a surrogate pair", e);
        }
        if (message.Type.MayMissRequired && !options.AllowPartial) RequiredCheck.Run(message);
    }

    private void Next()
    {
        if (!_json.Read()) Fail("the JSON ends before its value");
    }

    // Passes by a value that nobody wants.
    private readonly void Pass(ref Utf8JsonReader json)
    {
        int depth = json.CurrentDepth;
        if (json.TokenType is not (JsonTokenType.StartObject or JsonTokenType.StartArray)) return;
        while (json.Read() && json.CurrentDepth > depth)
            if (json.CurrentDepth > _levels) FailDepth();
    }

    [DoesNotReturn]
    private readonly void FailDepth() =>
        Fail("messages lie in messages deeper than the budget. Raise JsonParseOptions.MaxDepth if the sender is trusted");

    // At the first token of a value.
    private void Message(Message message, int depth)
    {
        if (depth < 0 || !RuntimeHelpers.TryEnsureSufficientExecutionStack()) FailDepth();
        if (message.Type.WellKnown != WellKnown.None) Special(message, depth);
        else Fields(message, depth, isAny: false);
    }

    private void Fields(Message message, int depth, bool isAny)
    {
        if (_json.TokenType != JsonTokenType.StartObject)
            Fail($"an object is expected for a {message.Type.FullName}, not {_json.TokenType}");
        HashSet<MessageField>? seen = null;
        HashSet<Oneof>? seenOneofs = null;
        bool hasType = false;
        for (Next(); _json.TokenType != JsonTokenType.EndObject; Next())
        {
            string name = _json.GetString()!;
            if (isAny && name == "@type")
            {
                if (hasType) Fail("@type is there twice");
                hasType = true;
                Next();
                continue;
            }
            if (!message.Type.JsonNames.TryGetValue(name, out MessageField? field))
            {
                if (!_options.IgnoreUnknown) Fail($"{message.Type.FullName} has no field {name}");
                Next();
                Pass(ref _json);
                continue;
            }
            _path.Add(field.Name);
            if (!(seen ??= []).Add(field)) Fail("the field is there twice");
            Next();
            if (_json.TokenType != JsonTokenType.Null || TakesNull(field))
            {
                if (field.Oneof is not null && !(seenOneofs ??= []).Add(field.Oneof))
                    Fail($"another field of the oneof {field.Oneof.Name} is there as well");
                Field(message, field, depth);
            }
            _path.RemoveAt(_path.Count - 1);
        }
    }

    private static bool TakesNull(MessageField field) =>
        !field.IsRepeated && (field.MessageType?.WellKnown == WellKnown.Value || field.EnumType?.FullName == WellKnownTypes.NullValue);

    private void Field(Message message, MessageField field, int depth)
    {
        if (field.IsMap) Map(message, field, depth);
        else if (field.IsRepeated) List(message, field, depth);
        else if (field.IsMessage)
        {
            Message inner = field.MessageType!.New();
            Message(inner, depth - 1);
            message.SetValue(field, inner);
        }
        else if (TryValue(field, out Slot slot)) Store(message, field, slot);
    }

    private static void Store(Message message, MessageField field, Slot slot)
    {
        if (!field.IsText) message.SetBits(field, slot.Bits);
        else if (slot.Ref is string text) message.SetValue(field, text);
        else message.SetValue(field, (byte[])slot.Ref!);
    }

    private void List(Message message, MessageField field, int depth)
    {
        if (_json.TokenType != JsonTokenType.StartArray) Fail($"an array is expected, not {_json.TokenType}");
        int index = 0;
        for (Next(); _json.TokenType != JsonTokenType.EndArray; Next(), index++)
        {
            _path[^1] = $"{field.Name}[{index}]";
            if (_json.TokenType == JsonTokenType.Null && field.MessageType?.WellKnown != WellKnown.Value
                && field.EnumType?.FullName != WellKnownTypes.NullValue)
                Fail("null is no element of a list");
            if (field.IsMessage)
            {
                Message inner = field.MessageType!.New();
                Message(inner, depth - 1);
                message.AddItem(field, inner);
            }
            else if (TryValue(field, out Slot slot)) message.AddSlot(field, slot);
        }
    }

    private void Map(Message message, MessageField field, int depth)
    {
        if (_json.TokenType != JsonTokenType.StartObject) Fail($"an object is expected for a map, not {_json.TokenType}");
        MessageField keyField = field.MessageType!.Fields[0], valueField = field.MessageType.Fields[1];
        for (Next(); _json.TokenType != JsonTokenType.EndObject; Next())
        {
            string key = _json.GetString()!;
            _path[^1] = $"{field.Name}[\"{key}\"]";
            Message entry = field.MessageType.New();
            Store(entry, keyField, KeyOf(keyField, key));
            Next();
            if (_json.TokenType == JsonTokenType.Null && !TakesNull(valueField)) Fail("null is no value of a map");
            if (valueField.IsMessage)
            {
                Message inner = valueField.MessageType!.New();
                Message(inner, depth - 1);
                entry.SetValue(valueField, inner);
            }
            else if (TryValue(valueField, out Slot slot)) Store(entry, valueField, slot);
            else continue;
            int before = message.Count(field);
            message.AddItem(field, entry);
            if (message.Count(field) == before) Fail("the key is there twice");
        }
    }

    private Slot KeyOf(MessageField field, string key)
    {
        if (field.Kind == FieldKind.String) return new() { Ref = key };
        ulong bits = 0;
        bool isValid = field.Kind == FieldKind.Bool ? key is "true" or "false"
            : JsonNumbers.TryParseKey(field.Kind, Encoding.UTF8.GetBytes(key), out bits);
        if (!isValid) Fail($"'{key}' is no {field.Kind}");
        return new() { Bits = field.Kind == FieldKind.Bool ? (key == "true" ? 1u : 0) : bits };
    }

    [DoesNotReturn]
    private readonly void Fail(string reason, Exception? inner = null)
    {
        long offset = inner is null ? _json.TokenStartIndex : _json.BytesConsumed;
        throw new WireException(reason, offset, string.Join('.', _path), inner);
    }
}
