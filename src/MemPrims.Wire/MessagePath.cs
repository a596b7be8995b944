namespace MemPrims.Wire;

// Where in a message something is: a step for each field on the way. An error takes its path from here.
internal sealed class MessagePath
{
    // More steps than the default depth lets a message have. Nobody reads a longer path: it has its beginning and its end.
    private const int MostSteps = 110;

    // The element of a list, or the entry of a map or its key.
    private readonly List<(MessageField Field, int Element, object? Key)> _steps = [];

    public void Enter(MessageField field, int element = -1, object? key = null) => _steps.Add((field, element, key));

    // The same for a path that is made from its end.
    public void EnterAbove(MessageField field, int element, object? key) => _steps.Insert(0, (field, element, key));

    public void At(int element) => _steps[^1] = (_steps[^1].Field, element, null);

    public void AtKey(object key) => _steps[^1] = (_steps[^1].Field, -1, key);

    public void Leave() => _steps.RemoveAt(_steps.Count - 1);

    public override string ToString()
    {
        IEnumerable<string> steps = _steps.Select(step => PathText.Step(step.Field, step.Element, step.Key));
        return string.Join('.', _steps.Count <= MostSteps ? steps
            : [.. steps.Take(MostSteps / 2), "…", .. steps.Skip(_steps.Count - MostSteps / 2)]);
    }
}
