namespace MemPrims.Wire;

// Adds one message to another of the same type. All is copied.
internal readonly ref struct MessageMerge(Message to, Message from)
{
    private readonly LentSlices _slices = new(from);

    public void Run()
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        for (int index = from.NextSet(0); index >= 0; index = from.NextSet(index + 1))
        {
            MessageField field = from.Type.Fields[index];
            if (field.IsRepeated)
            {
                MergeList(field);
                continue;
            }
            if (field.Oneof is not null) to.ClearOthers(field);
            ref Slot slot = ref from.SlotOf(index);
            if (field.IsMessage && to.IsSet(index))
            {
                to.Inner(ref to.SlotOf(index), field.MessageType!).MergeFrom(from.Inner(ref slot, field.MessageType!));
                continue;
            }
            // Before the slot is claimed: what is encoded may be damaged.
            Slot copy = _slices.CopyOf(field, in slot);
            to.Claim(index) = copy;
        }
        if (from.Unknown is { Length: > 0 } unknown) to.UnknownToFill().Append(unknown.Span);
    }

    private void MergeList(MessageField field)
    {
        FieldList copy = from.ListOf(field.Index).Clone(_slices, field);
        if (!to.IsSet(field.Index)) to.Claim(field.Index).Ref = copy;
        else if (copy is not SlotList slots) to.ListOf(field.Index).Append(copy);
        else
        {
            SlotList list = to.ClaimList(field.Index);
            foreach (ref Slot slot in slots.Span)
            {
                list.Add() = slot;
                if (field.IsMap) MapIndex.Settle(list);
            }
        }
    }
}
