using System.Runtime.CompilerServices;

namespace MemPrims.Wire;

// Looks for required fields that are missing, once the whole message is there: parts of it may have come one after the other.
internal static class RequiredCheck
{
    // message: The message.
    // leavesParts: Whether sub-messages that are still encoded are left alone: they are checked when they are decoded.
    public static void Run(Message message, bool leavesParts = false)
    {
        if (Missing(message, leavesParts) is { } path)
            throw new WireException("a required field is missing. DecodeOptions.AllowPartial accepts the message without it", -1, path);
    }

    // The path of the first required field that is missing; null if none is missing.
    public static string? Missing(Message message, bool leavesParts = false)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        MessageType type = message.Type;
        foreach (int index in type.Required)
            if (!message.IsSet(index)) return type.Fields[index].Name;
        for (int index = message.NextSet(0); index >= 0; index = message.NextSet(index + 1))
        {
            MessageField field = type.Fields[index];
            if (field.MessageType is not { MayMissRequired: true } inner) continue;
            if (!field.IsRepeated)
            {
                if (MissingIn(message, ref message.SlotOf(index), inner, leavesParts) is { } path) return $"{field.Name}.{path}";
                continue;
            }
            SlotList list = message.Slots(field)!;
            for (int i = 0; i < list.Count; i++)
            {
                if (field.IsMap)
                {
                    Message entry = (Message)list.Items[i].Ref!;
                    MessageType value = inner.Fields[1].MessageType!;
                    if (MissingIn(entry, ref entry.SlotOf(1), value, leavesParts) is { } missing)
                        return $"{field.Name}{PathText.Key(entry)}.{missing}";
                }
                else if (MissingIn(message, ref list.Items[i], inner, leavesParts) is { } path) return $"{field.Name}[{i}].{path}";
            }
        }
        return null;
    }

    private static string? MissingIn(Message owner, ref Slot slot, MessageType type, bool leavesParts) =>
        leavesParts && slot.Ref is not Message ? null : Missing(owner.InnerToMerge(ref slot, type), leavesParts);
}
