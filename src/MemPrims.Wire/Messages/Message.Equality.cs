using System.Runtime.CompilerServices;

namespace MemPrims.Wire;

public sealed partial class Message
{
    /// <summary>
    /// Whether the other one is of the same type and says the same: the same fields set to the same values, floats by their bits, maps in
    /// any order, the same unknown fields in the same order.
    /// </summary>
    public override bool Equals(object? obj)
    {
        if (ReferenceEquals(this, obj)) return true;
        if (obj is not Message other || other._type != _type) return false;
        RuntimeHelpers.EnsureSufficientExecutionStack();
        ReadOnlySpan<byte> unknown = Unknown is { } kept ? kept.Span : default, otherUnknown = other.Unknown is { } others ? others.Span
            : default;
        if (!unknown.SequenceEqual(otherUnknown)) return false;
        int index = NextSet(0), second = other.NextSet(0);
        while (index >= 0 && index == second)
        {
            MessageField field = _type.Fields[index];
            if (!(field.IsMap ? EqualMaps(field, other) : field.IsRepeated ? EqualLists(field, other)
                : EqualValues(field, ref SlotOf(index), other, ref other.SlotOf(index))))
                return false;
            index = NextSet(index + 1);
            second = other.NextSet(second + 1);
        }
        return index == second;
    }

    /// <summary>A hash of the numbers and of which fields are set: equal messages have the same. It changes with the message.</summary>
    public override int GetHashCode()
    {
        HashCode hash = default;
        for (int index = NextSet(0); index >= 0; index = NextSet(index + 1))
        {
            MessageField field = _type.Fields[index];
            hash.Add(index);
            if (field.IsRepeated) hash.Add(Count(field));
            else if (field.IsText) hash.Add(SlotOf(index).Text(_source));
            else if (!field.IsMessage) hash.Add(SlotOf(index).Bits);
        }
        return hash.ToHashCode();
    }

    private bool EqualValues(MessageField field, ref Slot slot, Message other, ref Slot second)
    {
        if (field.IsMessage) return Inner(ref slot, field.MessageType!).Equals(other.Inner(ref second, field.MessageType!));
        if (!field.IsText) return slot.Bits == second.Bits;
        if (slot.Ref is string text && second.Ref is string otherText) return text == otherText;
        return slot.Memory(_source).Span.SequenceEqual(second.Memory(other._source).Span);
    }

    private bool EqualLists(MessageField field, Message other)
    {
        int count = Count(field);
        if (count != other.Count(field)) return false;
        FieldList list = ListOf(field.Index), second = other.ListOf(field.Index);
        for (int i = 0; i < count; i++)
            if (list is SlotList slots ? !EqualValues(field, ref slots.Items[i], other, ref ((SlotList)second).Items[i])
                : list.GetBits(i) != second.GetBits(i))
                return false;
        return true;
    }

    private bool EqualMaps(MessageField field, Message other)
    {
        SlotList list = Slots(field)!, second = other.Slots(field)!;
        if (list.Count != second.Count) return false;
        foreach (ref Slot slot in list.Span)
        {
            int position = MapIndex.FindSame(second, ref slot);
            if (position < 0 || !((Message)slot.Ref!).Equals(second.Items[position].Ref)) return false;
        }
        return true;
    }
}
