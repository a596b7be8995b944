namespace MemPrims.Wire;

// Whether two messages say the same, and the hash that goes with it.
internal static class MessageEquality
{
    public static bool AreEqual(Message message, Message other)
    {
        if (ReferenceEquals(message, other)) return true;
        if (other.Type != message.Type) return false;
        RuntimeHelpers.EnsureSufficientExecutionStack();
        if (!message.UnknownFields.SequenceEqual(other.UnknownFields)) return false;
        int index = message.NextSet(0), second = other.NextSet(0);
        while (index >= 0 && index == second)
        {
            MessageField field = message.Type.Fields[index];
            if (!(field.IsMap ? EqualMaps(field, message, other) : field.IsRepeated ? EqualLists(field, message, other)
                : EqualValues(field, message, ref message.SlotOf(index), other, ref other.SlotOf(index))))
                return false;
            index = message.NextSet(index + 1);
            second = other.NextSet(second + 1);
        }
        return index == second;
    }

    public static int HashOf(Message message)
    {
        HashCode hash = default;
        for (int index = message.NextSet(0); index >= 0; index = message.NextSet(index + 1))
        {
            MessageField field = message.Type.Fields[index];
            hash.Add(index);
            if (field.IsRepeated) hash.Add(message.Count(field));
            else if (field.IsText) hash.Add(message.SlotOf(index).Text(message.Source));
            else if (!field.IsMessage) hash.Add(message.SlotOf(index).Bits);
        }
        return hash.ToHashCode();
    }

    private static bool EqualValues(MessageField field, Message message, ref Slot slot, Message other, ref Slot second)
    {
        if (field.IsMessage) return message.Inner(ref slot, field.MessageType!).Equals(other.Inner(ref second, field.MessageType!));
        if (!field.IsText) return slot.Bits == second.Bits;
        if (slot.Ref is string text && second.Ref is string otherText) return text == otherText;
        return slot.Memory(message.Source).Span.SequenceEqual(second.Memory(other.Source).Span);
    }

    private static bool EqualLists(MessageField field, Message message, Message other)
    {
        int count = message.Count(field);
        if (count != other.Count(field)) return false;
        FieldList list = message.ListOf(field.Index), second = other.ListOf(field.Index);
        for (int i = 0; i < count; i++)
            if (list is SlotList slots ? !EqualValues(field, message, ref slots.Items[i], other, ref ((SlotList)second).Items[i])
                : list.GetBits(i) != second.GetBits(i))
                return false;
        return true;
    }

    private static bool EqualMaps(MessageField field, Message message, Message other)
    {
        SlotList list = message.Slots(field)!, second = other.Slots(field)!;
        if (list.Count != second.Count) return false;
        foreach (ref Slot slot in list.Span)
        {
            int position = MapIndex.Find(second, MapKey.Of(ref slot));
            if (position < 0 || !((Message)slot.Ref!).Equals(second.Items[position].Ref)) return false;
        }
        return true;
    }
}
