using System.Text.Json;
using MemPrims.Wire;
using Fields = System.Collections.Generic.List<(int Path, DocumentStore.FieldValue Value)>;

namespace DocumentStore;

/// <summary>Finds the values that the paths of a definition lead to in a document. Threads: any number.</summary>
internal sealed class FieldReader
{
    private readonly string[][] _names;
    private readonly FieldPath[]? _paths;

    /// <exception cref="ArgumentException">The schema has no such type, or the type no such field.</exception>
    public FieldReader(Definition definition)
    {
        _names = [.. definition.Paths.Select(static path => path.Split('.'))];
        if (definition.MessageType is not { } type) return;
        if (definition.Schema is null) throw new ArgumentException("Protobuf documents need a Schema.");
        _paths = [.. definition.Paths.Select(MessageSchema.Load(definition.Schema)[type].Path)];
    }

    /// <returns>Null; or why this is no document, which then has no values.</returns>
    public string? Read(ReadOnlySpan<byte> document, Fields values)
    {
        values.Clear();
        try
        {
            if (_paths is null) ReadJson(document, values);
            else ReadProtobuf(_paths, document, values);
            return null;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or WireException)
        {
            values.Clear();
            return $"The document cannot be read: {e.Message}";
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
        Utf8JsonReader reader = new(document);
        using JsonDocument json = JsonDocument.ParseValue(ref reader);
        if (reader.Read()) throw new JsonException("Something follows its end.");
        for (int i = 0; i < _names.Length; i++) Find(json.RootElement, _names[i], i, values);
    }

    private static void Find(JsonElement at, ReadOnlySpan<string> names, int path, Fields values)
    {
        if (at.ValueKind == JsonValueKind.Array)
        {
            foreach (JsonElement each in at.EnumerateArray()) Find(each, names, path, values);
        }
        else if (names is [string name, ..])
        {
            if (at.ValueKind == JsonValueKind.Object && at.TryGetProperty(name, out JsonElement next)) Find(next, names[1..], path, values);
        }
        else if (at.ValueKind == JsonValueKind.String) values.Add((path, at.GetString()!));
        else if (at.ValueKind == JsonValueKind.Number) values.Add((path, at.GetDouble()));
        else if (at.ValueKind is JsonValueKind.True or JsonValueKind.False) values.Add((path, at.GetBoolean()));
    }
}
