namespace MemPrims.Wire;

// Looks for required fields that are missing, once the whole message is there: parts of it may have come one after the other.
internal static class RequiredCheck
{
    // options: those that allow it.
    // leavesParts: whether sub-messages that are still encoded are left alone: they are checked when they are decoded.
    public static void Run(Message message, string options, bool leavesParts = false)
    {
        if (Missing(message, leavesParts) is { } path)
            throw new WireException($"a required field is missing. {options}.AllowPartial accepts the message without it", -1,
                path.ToString());
    }

    // The path of the first required field that is missing; null if none is missing.
    public static MessagePath? Missing(Message message, bool leavesParts = false)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        MessageType type = message.Type;
        foreach (int index in type.Required)
        {
            if (message.IsSet(index)) continue;
            MessagePath path = new();
            path.Enter(type.Fields[index]);
            return path;
        }
        for (int index = message.NextSet(0); index >= 0; index = message.NextSet(index + 1))
        {
            MessageField field = type.Fields[index];
            if (field.MessageType is not { MayMissRequired: true } inner) continue;
            Span<Slot> slots = message.SlotsOf(field);
            for (int i = 0; i < slots.Length; i++)
            {
                Message? entry = field.IsMap ? (Message)slots[i].Ref! : null;
                MessagePath? missing = entry is null ? MissingIn(message, ref slots[i], inner, leavesParts)
                    : MissingIn(entry, ref entry.SlotOf(1), inner.Fields[1].MessageType!, leavesParts);
                if (missing is null) continue;
                missing.EnterAbove(field, field.IsRepeated ? i : -1, entry);
                return missing;
            }
        }
        return null;
    }

    private static MessagePath? MissingIn(Message owner, ref Slot slot, MessageType type, bool leavesParts) =>
        leavesParts && slot.Ref is not Message ? null : Missing(owner.Inner(ref slot, type, mayMiss: true), leavesParts);
}
