namespace MemPrims.Wire;

// The slices of a message that lie in memory of somebody else, which may be used again: what is kept or given to another message is
// copied from there.
internal readonly ref struct LentSlices(Message owner)
{
    // Copies all of them, here and in all sub-messages. Other threads may read the message meanwhile: a slot's slice stays what it is,
    // and only what it is a slice of changes.
    public void Keep()
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        for (int index = owner.NextSet(0); index >= 0; index = owner.NextSet(index + 1))
        {
            MessageField field = owner.Type.Fields[index];
            if (!field.IsText && !field.IsMessage) continue;
            foreach (ref Slot slot in owner.SlotsOf(field)) Keep(field, ref slot);
        }
    }

    private void Keep(MessageField field, ref Slot slot)
    {
        object? held = slot.Ref;
        // Another thread may put there what it has decoded or kept.
        held ??= Interlocked.CompareExchange(ref slot.Ref, CopyOf(field, slot.Bits), null);
        if (held is Message inner) inner.Keep();
    }

    // What a copy of the message has in the place of one of its slots.
    public Slot CopyOf(MessageField field, in Slot slot)
    {
        // Under a number may lie what another field left in the slot.
        if (!field.IsText && !field.IsMessage) return new() { Bits = slot.Bits };
        // Read once: a reader on another thread may put a decoded message into the slot meanwhile.
        object? held = slot.Ref;
        if (held is Message inner)
        {
            Message copy = inner.Clone();
            if (field.IsMap) copy.CompleteEntry(true);
            return new() { Ref = copy };
        }
        // The memory of a message that the caller set encoded is the caller's to use again.
        bool isShared = field.IsMessage ? held is KeptBytes : held is not null;
        Slot made = new() { Bits = slot.Bits, Ref = held ?? owner.Source };
        if (isShared) return made;
        if (field.IsMessage && held is null) made.Ref = CopyOf(field, slot.Bits);
        else made.Set(made.Span(null).ToArray());
        return made;
    }

    // What a slice is of once it does not lie in lent memory.
    private KeptBytes CopyOf(MessageField field, ulong bits)
    {
        if (field.IsMessage && owner.More?.Lazy is { } input) return input.Keep(owner.More.LazyDepth);
        Slot slice = new() { Bits = bits, Ref = owner.Source };
        return new(slice.Span(null).ToArray(), slice.Offset);
    }
}

// An array that nobody changes any more, and where in other memory its bytes were: slices of them still say their place there.
internal class KeptBytes(byte[] bytes, int start)
{
    public byte[] Bytes => bytes;

    public int Start => start;
}
