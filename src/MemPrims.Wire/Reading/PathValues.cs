namespace MemPrims.Wire;

// Collects every value of a path with [*]. The message is decoded lazily, so that sub-messages beside the path stay encoded, and
// then walked step by step.
internal static class PathValues
{
    // Sub-messages are decoded when a step goes into them; required fields are not the path's business.
    public static DecodeOptions Options { get; } = new() { Lazy = true, AllowPartial = true };

    public static void Collect<T>(Message message, ReadOnlySpan<PathStep> steps, List<T> values)
    {
        PathStep step = steps[0];
        MessageField field = step.Field;
        if (!message.IsSet(field.Index)) return;
        if (step.IsKey)
        {
            int position = MapIndex.Find(message.Slots(field)!, step.KeyText is { } text ? new(text) : new(step.KeyBits));
            if (position >= 0) Take(message.ItemAt<Message>(field, position), field.MessageType!.Fields[1], -1, steps, values);
            return;
        }
        int count = field.IsRepeated ? message.Count(field) : 0;
        if (!field.IsRepeated) Take(message, field, -1, steps, values);
        else if (step.Index != PathStep.All && step.Index < count) Take(message, field, step.Index, steps, values);
        else if (step.Index == PathStep.All)
        {
            for (int i = 0; i < count; i++) Take(message, field, i, steps, values);
        }
    }

    // A single value has the element -1.
    private static void Take<T>(Message owner, MessageField field, int element, ReadOnlySpan<PathStep> steps, List<T> values)
    {
        if (steps.Length == 1) values.Add(element < 0 ? owner.ValueOf<T>(field) : owner.ItemAt<T>(field, element));
        else Collect(element < 0 ? owner.ValueOf<Message>(field) : owner.ItemAt<Message>(field, element), steps[1..], values);
    }
}
