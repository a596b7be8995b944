using System.Runtime.CompilerServices;

namespace MemPrims.Wire;

// What decoding needs of a message besides its fields: which messages may be used again, and which memory the slices lie in.
public sealed partial class Message
{
    // A new message that its owner may use again after it was cleared.
    internal static Message AtHome(MessageType type) => new(type) { _isAtHome = true };

    // The sub-message that stands in a field, or at a place of its list, while it is decoded; null if there is none.
    internal Message? BuiltAt(MessageField field, int element)
    {
        if (!IsSet(field.Index)) return null;
        object? held = SlotOf(field.Index).Ref;
        if (element < 0) return held as Message;
        return held is SlotList list && element < list.Items.Length ? list.Items[element].Ref as Message : null;
    }

    internal bool IsAtHome(MessageType type) => _isAtHome && ReferenceEquals(_type, type);

    // Says what slices of this message lie in.
    internal void Lend(object source)
    {
        // Storing a reference costs more than looking at it.
        if (!ReferenceEquals(_source, source)) _source = source;
        _isLent = true;
    }

    // Says what further slices of this message lie in; those that are there are copied.
    internal void LendMore(object source)
    {
        if (!ReferenceEquals(_source, source)) Keep();
        Lend(source);
    }

    // Says that this message belongs to no other: nobody may use it again, and it outlives the memory that it was decoded from.
    internal Message Release()
    {
        _isAtHome = false;
        Keep();
        return this;
    }

    // Copies what lies in lent memory, here and in all sub-messages. Other threads may read the message meanwhile: they see the slots of
    // before, in the memory of before, or the new ones.
    private void Keep()
    {
        if (!_isLent) return;
        RuntimeHelpers.EnsureSufficientExecutionStack();
        Slot[] slots = [.. _slots];
        int rank = 0;
        for (int index = NextSet(0); index >= 0; index = NextSet(index + 1), rank++)
        {
            MessageField field = _type.Fields[index];
            if (!field.IsText && !field.IsMessage) continue;
            ref Slot slot = ref slots[_type.IsDense ? index : rank];
            if (!field.IsRepeated) KeepIn(field, ref slot);
            else
            {
                SlotList list = (SlotList)slot.Ref!;
                Slot[] items = [.. list.Items];
                foreach (ref Slot item in items.AsSpan(0, list.Count)) KeepIn(field, ref item);
                Volatile.Write(ref list.Items, items);
            }
        }
        Volatile.Write(ref _slots, slots);
        _isLent = false;
    }

    private void KeepIn(MessageField field, ref Slot slot)
    {
        if (slot.Ref is Message inner) inner.Keep();
        else slot = Kept(field, slot.Bits, slot.Ref);
    }

    // The slot of text, bytes or an encoded message, independent of lent memory.
    private Slot Kept(MessageField field, ulong bits, object? held)
    {
        Slot slot = new() { Bits = bits, Ref = held };
        if (held is not null) return slot;
        if (field.IsMessage && _extra?.Lazy is { } input) return input.Keep(slot, _extra.LazyDepth);
        slot.Set(slot.Span(_source).ToArray());
        return slot;
    }

    private UnknownFields UnknownOf() => (_extra ??= new()).Unknown ??= new();

    internal void KeepUnknown(ReadOnlySpan<byte> field) => UnknownOf().Append(field);

    internal void KeepUnknownVarint(int number, ulong value) => UnknownOf().AppendVarint(number, value);
}
