namespace MemPrims.Wire;

// Finds the messages that have a required field somewhere below: only these are walked to see whether they are whole.
internal static class RequiredFields
{
    public static void Mark(List<MessageType> types)
    {
        // Most schemas have none.
        if (types.Exists(type => type.Required.Length > 0)) MarkHolders(types);
    }

    private static void MarkHolders(List<MessageType> types)
    {
        // From the messages that have one to those that hold them, until nothing is new.
        Dictionary<MessageType, List<MessageType>> holders = [];
        Stack<MessageType> marked = new();
        foreach (MessageType type in types)
        {
            foreach (MessageField field in type.Fields)
                if (field.MessageType is { } inner)
                    (holders.TryGetValue(inner, out List<MessageType>? list) ? list : holders[inner] = []).Add(type);
            if (type.Required.Length > 0) marked.Push(type);
        }
        while (marked.TryPop(out MessageType? type))
        {
            if (type.MayMissRequired) continue;
            type.MayMissRequired = true;
            foreach (MessageType holder in holders.GetValueOrDefault(type, [])) marked.Push(holder);
        }
    }
}
