using System.Text;

namespace MemPrims.Wire;

// Where in a message the writing of JSON is: a step for each field on the way. An error takes its path from here.
internal sealed class JsonPlace
{
    // The element of a list, or the entry of a map.
    private readonly List<(MessageField Field, int Element, Message? Entry)> _steps = [];

    public void Enter(MessageField field) => _steps.Add((field, -1, null));

    public void At(int element) => _steps[^1] = (_steps[^1].Field, element, null);

    public void At(Message entry) => _steps[^1] = (_steps[^1].Field, -1, entry);

    public void Leave() => _steps.RemoveAt(_steps.Count - 1);

    // Writes, and gives an error without a place the one that was reached.
    public static void Write(Message message, System.Text.Json.Utf8JsonWriter json, JsonWriteOptions options)
    {
        JsonPlace place = new();
        try
        {
            new JsonWriter(json, options, place).Message(message, options.MaxDepth);
        }
        catch (WireException e) when (e.Path.Length == 0 && e.Offset < 0)
        {
            throw new WireException(e.Reason, -1, place.ToString(), e);
        }
    }

    // The path of the place, as FieldPath has it.
    public override string ToString()
    {
        StringBuilder path = new();
        foreach ((MessageField field, int element, Message? entry) in _steps)
        {
            path.Append(path.Length > 0 ? "." : "").Append(field.Name);
            if (entry is not null) path.Append(PathText.Key(entry));
            else if (element >= 0) path.Append('[').Append(element).Append(']');
        }
        return path.ToString();
    }
}
