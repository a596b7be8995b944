using System.Text;
using System.Text.Json;
using MemPrims.Wire;

namespace DocumentStore;

/// <summary>Finds the values of some paths in a document. Threads: any number.</summary>
internal interface IFieldReader
{
    /// <returns>Null; or why this is no document, which then has no values.</returns>
    string? Read(ReadOnlySpan<byte> document, FieldValues values);
}

/// <summary>Paths in JSON: the names of properties with points between them. Lists are passed through: each element is a value.</summary>
internal sealed class JsonFields : IFieldReader
{
    private readonly Step _root = new([]);

    public JsonFields(string[] paths)
    {
        for (int i = 0; i < paths.Length; i++)
        {
            Step at = _root;
            foreach (string name in paths[i].Split('.')) at = at.Child(Encoding.UTF8.GetBytes(name));
            at.Path = i;
        }
    }

    public string? Read(ReadOnlySpan<byte> document, FieldValues values)
    {
        values.Clear();
        try
        {
            Utf8JsonReader json = new(document);
            json.Read();
            Walk(ref json, _root, values);
            if (json.Read()) throw new JsonException("Something follows the document.");
            return null;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            values.Clear();
            return $"The document is no JSON: {e.Message}";
        }
    }

    private static void Walk(ref Utf8JsonReader json, Step at, FieldValues values)
    {
        switch (json.TokenType)
        {
            case JsonTokenType.StartObject:
                while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
                {
                    Step? step = at.Find(ref json);
                    json.Read();
                    if (step is null) json.Skip();
                    else Walk(ref json, step, values);
                }
                break;
            case JsonTokenType.StartArray:
                while (json.Read() && json.TokenType != JsonTokenType.EndArray) Walk(ref json, at, values);
                break;
            case JsonTokenType.Number when at.Path >= 0:
                values.Add(at.Path, json.GetDouble());
                break;
            case JsonTokenType.True or JsonTokenType.False when at.Path >= 0:
                values.Add(at.Path, json.GetBoolean());
                break;
            case JsonTokenType.String when at.Path >= 0:
                values.Add(at.Path, json.ValueIsEscaped ? Encoding.UTF8.GetBytes(json.GetString()!) : json.ValueSpan);
                break;
        }
    }

    private sealed class Step(byte[] name)
    {
        private readonly List<Step> _children = [];

        public int Path { get; set; } = -1;

        public Step? Find(ref Utf8JsonReader json)
        {
            foreach (Step child in _children)
                if (json.ValueTextEquals(child.Name)) return child;
            return null;
        }

        public Step Child(byte[] named)
        {
            Step? child = _children.Find(child => child.Name.AsSpan().SequenceEqual(named));
            if (child is null) _children.Add(child = new(named));
            return child;
        }

        private byte[] Name { get; } = name;
    }
}

/// <summary>Paths in protobuf messages, in the words of MemPrims.Wire: <c>lines[*].sku</c> is the sku of every line.</summary>
internal sealed class ProtobufFields(MessageType type, string[] paths) : IFieldReader
{
    private readonly FieldPath[] _paths = [.. paths.Select(type.Path)];

    public string? Read(ReadOnlySpan<byte> document, FieldValues values)
    {
        values.Clear();
        try
        {
            for (int i = 0; i < _paths.Length; i++)
                foreach (object value in _paths[i].ReadAll<object>(document))
                {
                    if (value is string text) values.Add(i, Encoding.UTF8.GetBytes(text));
                    else if (value is bool truth) values.Add(i, truth);
                    else if (value is IConvertible number) values.Add(i, number.ToDouble(null));
                }
            return null;
        }
        catch (WireException e)
        {
            values.Clear();
            return $"The document is no {type.FullName}: {e.Message}";
        }
    }
}
