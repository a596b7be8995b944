using System.Runtime.CompilerServices;

namespace MemPrims.Wire;

// Copies, merging, equality.
public sealed partial class Message
{
    /// <summary>A copy that shares nothing that can change; strings and bytes are shared.</summary>
    public Message Clone()
    {
        Message copy = new(_type);
        copy.MergeFrom(this);
        return copy;
    }

    /// <summary>
    /// Adds another message of the same type: its single fields replace, its sub-messages are merged, its lists are appended, its map
    /// entries replace those of the same key, its unknown fields are appended.
    /// </summary>
    /// <exception cref="ArgumentException">It is of another type.</exception>
    public void MergeFrom(Message other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (other._type != _type)
            throw new ArgumentException(
                $"This is a {_type.FullName}; a {other._type.FullName}{MessageErrors.OfAnother(_type.FullName == other._type.FullName)} "
                + "cannot be merged into it.", nameof(other));
        CheckKeys();
        if (ReferenceEquals(this, other)) other = other.Clone();
        RuntimeHelpers.EnsureSufficientExecutionStack();
        TakeLazyOf(other);
        for (int index = other.NextSet(0); index >= 0; index = other.NextSet(index + 1))
        {
            MessageField field = _type.Fields[index];
            if (field.IsRepeated) MergeList(field, other);
            else if (field.IsMessage) MergeInner(field, other);
            else
            {
                if (field.Oneof is not null) ClearOthers(field);
                ref Slot slot = ref Claim(index);
                slot = other.SlotOf(index);
                if (field.IsText) slot.Detach(other._source);
            }
        }
        if (other.Unknown is { Length: > 0 } unknown) KeepUnknown(unknown.Span);
    }

    private void MergeInner(MessageField field, Message other)
    {
        ref Slot from = ref other.SlotOf(field.Index);
        if (field.Oneof is not null) ClearOthers(field);
        bool wasSet = IsSet(field.Index);
        ref Slot slot = ref Claim(field.Index);
        if (!wasSet)
        {
            slot = from;
            if (from.Ref is Message inner) slot.Ref = inner.Clone();
            else slot.Detach(other._source);
        }
        else Inner(ref slot, field.MessageType!).MergeFrom(other.Inner(ref from, field.MessageType!));
    }

    private void MergeList(MessageField field, Message other)
    {
        FieldList copy = Unsafe.As<FieldList>(other.SlotOf(field.Index).Ref!).Clone(other._source);
        if (!IsSet(field.Index))
        {
            Claim(field.Index).Ref = copy;
            return;
        }
        if (copy is not SlotList slots)
        {
            Unsafe.As<FieldList>(SlotOf(field.Index).Ref!).Append(copy);
            return;
        }
        SlotList list = ClaimList(field.Index);
        foreach (ref Slot slot in slots.Span)
        {
            list.Add() = slot;
            if (field.IsMap) MapIndex.Settle(list);
        }
    }

    // Gives every slice its own reference: the memory they share is about to be another.
    private void DetachSlices()
    {
        if (_source is null) return;
        for (int index = NextSet(0); index >= 0; index = NextSet(index + 1))
        {
            MessageField field = _type.Fields[index];
            if (!field.IsText && !field.IsMessage) continue;
            if (!field.IsRepeated) SlotOf(index).Detach(_source);
            else
            {
                foreach (ref Slot slot in Unsafe.As<SlotList>(SlotOf(index).Ref!).Span) slot.Detach(_source);
            }
        }
        _source = null;
    }
}
