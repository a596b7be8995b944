using System.Runtime.CompilerServices;

namespace MemPrims.Wire;

// Copies, merging, equality.
public sealed partial class Message
{
    /// <summary>
    /// A copy that shares nothing that can change. What lies in the memory of
    /// <see cref="DecodeFrom(ReadOnlyMemory{byte}, DecodeOptions?)"/>, or was set encoded, is copied; strings, and bytes that were set,
    /// are shared.
    /// </summary>
    public Message Clone()
    {
        Message copy = new(_type);
        copy.MergeFrom(this);
        return copy;
    }

    /// <summary>
    /// Adds another message of the same type: its single fields replace, its sub-messages are merged, its lists are appended, its map
    /// entries replace those of the same key, its unknown fields are appended. All is copied, as by <see cref="Clone"/>.
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
        for (int index = other.NextSet(0); index >= 0; index = other.NextSet(index + 1))
        {
            MessageField field = _type.Fields[index];
            if (field.IsRepeated) MergeList(field, other);
            else if (field.IsMessage) MergeInner(field, other);
            else
            {
                if (field.Oneof is not null) ClearOthers(field);
                Slot copy = other.CloneOf(field, in other.SlotOf(index));
                Claim(index) = copy;
            }
        }
        if (other.Unknown is { Length: > 0 } unknown) KeepUnknown(unknown.Span);
    }

    private void MergeInner(MessageField field, Message other)
    {
        ref Slot from = ref other.SlotOf(field.Index);
        if (field.Oneof is not null) ClearOthers(field);
        if (IsSet(field.Index))
        {
            Inner(ref SlotOf(field.Index), field.MessageType!).MergeFrom(other.Inner(ref from, field.MessageType!));
            return;
        }
        Slot copy = other.CloneOf(field, in from);
        Claim(field.Index) = copy;
    }

    private void MergeList(MessageField field, Message other)
    {
        FieldList copy = other.ListOf(field.Index).Clone(other, field);
        if (!IsSet(field.Index))
        {
            Claim(field.Index).Ref = copy;
            return;
        }
        if (copy is not SlotList slots)
        {
            ListOf(field.Index).Append(copy);
            return;
        }
        SlotList list = ClaimList(field.Index);
        foreach (ref Slot slot in slots.Span)
        {
            list.Add() = slot;
            if (field.IsMap) MapIndex.Settle(list);
        }
    }

    // What a copy of this message has in the place of a slot of this one.
    internal Slot CloneOf(MessageField field, in Slot slot)
    {
        // Under a number may lie what another field left in the slot.
        if (!field.IsText && !field.IsMessage) return new() { Bits = slot.Bits };
        // A reader on another thread may put a decoded message into the slot meanwhile.
        object? held = slot.Ref;
        if (held is not Message inner)
        {
            Slot kept = Kept(field, slot.Bits, held);
            // The memory of a message that the caller set encoded is the caller's to use again.
            if (field.IsMessage && kept.Ref is not LazyPart) kept.Set(kept.Span(null).ToArray());
            return kept;
        }
        Message copy = inner.Clone();
        if (field.IsMap) copy.CompleteEntry(true);
        return new() { Ref = copy };
    }

    /// <summary>
    /// Whether the other one is of the same type and says the same: the same fields set to the same values, floats by their bits, maps in
    /// any order, the same unknown fields in the same order.
    /// </summary>
    public override bool Equals(object? obj) => obj is Message other && MessageEquality.AreEqual(this, other);

    /// <summary>A hash of the numbers and of which fields are set: equal messages have the same. It changes with the message.</summary>
    public override int GetHashCode() => MessageEquality.HashOf(this);
}
