using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using Fields = System.Collections.Generic.List<(int Path, DocumentStore.FieldValue Value)>;

namespace DocumentStore;

/// <summary>Finds the values that the paths of a definition lead to in a document. Threads: any number.</summary>
internal sealed class FieldReader
{
    // Of each path its names in UTF-8, and the path itself for protobuf.
    private readonly byte[][][] _names;
    private readonly FieldPath[]? _paths;
    private readonly int[] _all;

    /// <exception cref="ArgumentException">The schema is none, has no such type, or the type no such field.</exception>
    public FieldReader(Definition definition)
    {
        _names = [.. definition.Paths.Select(static path => path.Split('.').Select(Encoding.UTF8.GetBytes).ToArray())];
        _all = [.. Enumerable.Range(0, _names.Length)];
        if (definition.MessageType is not { } type) return;
        if (definition.Schema is null) throw new ArgumentException("Protobuf documents need a Schema.");
        try
        {
            _paths = [.. definition.Paths.Select(MessageSchema.Load(definition.Schema)[type].Path)];
        }
        catch (Exception e) when (e is KeyNotFoundException or DamagedDataException)
        {
            throw new ArgumentException(e.Message, e);
        }
    }

    /// <returns>Whether this is a document. One that is none has no values.</returns>
    public bool TryRead(ReadOnlySpan<byte> document, Fields values)
    {
        values.Clear();
        try
        {
            if (_paths is null) ReadJson(document, values);
            else ReadProtobuf(_paths, document, values);
            return true;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or WireException)
        {
            values.Clear();
            return false;
        }
    }

    /// <summary>Paths in the words of MemPrims.Wire: <c>lines[*].sku</c> is the sku of every line.</summary>
    private static void ReadProtobuf(FieldPath[] paths, ReadOnlySpan<byte> document, Fields values)
    {
        for (int i = 0; i < paths.Length; i++)
            foreach (object value in paths[i].ReadAll<object>(document))
            {
                if (value is string text) values.Add((i, text));
                else if (value is bool truth) values.Add((i, truth));
                else if (value is IConvertible number) values.Add((i, number.ToDouble(null)));
            }
    }

    /// <summary>Paths are names of properties with points between them. Lists are passed through: each element is a value.</summary>
    private void ReadJson(ReadOnlySpan<byte> document, Fields values)
    {
        // The reader looks into a string only where it has escapes.
        if (!Utf8.IsValid(document)) throw new JsonException("It is no UTF-8.");
        Utf8JsonReader json = new(document);
        json.Read();
        Walk(ref json, 0, _all, values);
        if (json.Read()) throw new JsonException("Something follows its end.");
    }

    /// <param name="json">Stands at a value, and then at its end.</param>
    /// <param name="depth">How many names lead here.</param>
    /// <param name="paths">The paths that begin with these names.</param>
    /// <param name="values">Gets the values of those that end here.</param>
    private void Walk(ref Utf8JsonReader json, int depth, scoped ReadOnlySpan<int> paths, Fields values)
    {
        switch (json.TokenType)
        {
            case JsonTokenType.StartArray:
                while (json.Read() && json.TokenType != JsonTokenType.EndArray) Walk(ref json, depth, paths, values);
                break;
            case JsonTokenType.StartObject:
                Span<int> further = stackalloc int[paths.Length];
                while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
                {
                    int count = 0;
                    foreach (int path in paths)
                        if (_names[path].Length > depth && json.ValueTextEquals(_names[path][depth])) further[count++] = path;
                    json.Read();
                    if (count == 0) json.Skip();
                    else Walk(ref json, depth + 1, further[..count], values);
                }
                break;
            default:
                foreach (int path in paths)
                    if (_names[path].Length == depth && Value(ref json) is { } value) values.Add((path, value));
                break;
        }
    }

    private static FieldValue? Value(ref Utf8JsonReader json) => json.TokenType switch
    {
        JsonTokenType.Number => (FieldValue)json.GetDouble(),
        JsonTokenType.True or JsonTokenType.False => (FieldValue)json.GetBoolean(),
        JsonTokenType.String => json.ValueIsEscaped ? (FieldValue)json.GetString()! : FieldValue.Of(json.ValueSpan),
        _ => default(FieldValue?),
    };
}
