namespace MemPrims.Wire;

// Where in a message the writing or reading of JSON is: a step for each field on the way. An error takes its path from here.
internal sealed class JsonPlace
{
    // The element of a list, or the entry of a map or its key.
    private readonly List<(MessageField Field, int Element, object? Key)> _steps = [];

    public void Enter(MessageField field) => _steps.Add((field, -1, null));

    public void At(int element) => _steps[^1] = (_steps[^1].Field, element, null);

    public void AtKey(object key) => _steps[^1] = (_steps[^1].Field, -1, key);

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
    public override string ToString() => string.Join('.', _steps.Select(step => PathText.Step(step.Field, step.Element, step.Key)));
}
