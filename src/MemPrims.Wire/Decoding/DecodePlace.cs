namespace MemPrims.Wire;

// Where in a message the decoding is: the fields on the way, as a chain of Levels on the stack of their own routines. Entering and leaving
// are a few stores; the path is made only for an error.
internal unsafe struct DecodePlace()
{
    private Level* _innermost;

    // The field of the innermost message that is read now; -1 if none is known.
    public int Field = -1;

    // Enters a value of a field. The level stays where it is until Leave.
    public void Enter(Level* level, int field, int element)
    {
        level->Above = _innermost;
        level->Field = field;
        level->Element = element;
        _innermost = level;
        Field = -1;
    }

    // What comes next is of the message above, whose field is not known yet: the index of one of the inner message says nothing there.
    public void Leave()
    {
        _innermost = _innermost->Above;
        Field = -1;
    }

    // The path from a message, which is built as far as it was read.
    public readonly string ToString(Message root)
    {
        List<(int Field, int Element)> chain = [];
        for (Level* level = _innermost; level != null; level = level->Above) chain.Add((level->Field, level->Element));
        chain.Reverse();
        if (Field >= 0) chain.Add((Field, -1));
        MessagePath path = new();
        MessageType? type = root.Type;
        Message? message = root;
        bool isBehindKey = false;
        for (int level = 0; level < chain.Count && type is not null; level++)
        {
            (int index, int element) = chain[level];
            MessageField field = type.Fields[index];
            type = field.MessageType;
            message = message is null ? null : BuiltAt(message, field, element);
            // The value of an entry is named by its key: it has no step of its own.
            bool isNamed = isBehindKey;
            isBehindKey = field.IsMap && message is { } entry && entry.IsSet(0)
                && (level + 1 == chain.Count || chain[level + 1].Field == 1);
            if (!isNamed) path.Enter(field, element, isBehindKey ? message : null);
        }
        return path.ToString();
    }

    // The sub-message that stands in a field, or at a place of its list, while it is decoded; null if there is none.
    private static Message? BuiltAt(Message message, MessageField field, int element)
    {
        if (!message.IsSet(field.Index)) return null;
        object? held = message.SlotOf(field.Index).Ref;
        if (element < 0) return held as Message;
        return held is SlotList list && element < list.Items.Length ? list.Items[element].Ref as Message : null;
    }

    public struct Level
    {
        public Level* Above;
        public int Field, Element;
    }
}
