namespace MemPrims.Wire;

// A sub-message that is still encoded: set so by the caller, or left so by a lazy decoding. Two readers may decode it at once: both get
// the same message.
internal readonly ref struct EncodedPart
{
    // How bytes are decoded that the caller set as a message. They are the caller's own, who may leave out required fields.
    private static readonly DecodeOptions s_asSet = new() { AllowPartial = true };

    private readonly Message _owner;
    private readonly ref Slot _slot;

    public EncodedPart(Message owner, ref Slot slot)
    {
        _owner = owner;
        _slot = ref slot;
    }

    // mayMiss: Whether required fields may be missing: more is merged into the message, or it is looked at to see whether they are.
    public Message Decode(MessageType type, bool mayMiss)
    {
        // Read once: another thread may put its message there, or keep the bytes, meanwhile.
        object? from = _slot.Ref;
        if (from is Message already) return already;
        Slot part = new() { Bits = _slot.Bits, Ref = from ?? _owner.Source };
        Message inner = Message.Make(type);
        long used = 0;
        LazyPart? kept = from as LazyPart;
        LazyInput? input = from is null ? _owner.More?.Lazy : kept?.Input;
        // What else is encoded was set by the caller.
        if (input is not null) input.Decode(inner, in part, (kept?.Depth ?? _owner.More!.LazyDepth) - 1, mayMiss, out used);
        else DecodeAsSet(inner, in part);
        while (Interlocked.CompareExchange(ref _slot.Ref, inner, from) is var seen && !ReferenceEquals(seen, from))
        {
            if (seen is Message first) return first;
            from = seen;
        }
        if (used > 0) input!.Charge(used);
        return inner;
    }

    // The path of a fault begins in the owner, its offset counts in the bytes.
    private void DecodeAsSet(Message inner, in Slot part)
    {
        try
        {
            Decoder.Decode(inner, part.Span(null), part.Ref, part.Offset, s_asSet);
        }
        catch (WireException e)
        {
            string field = Name();
            throw new WireException(e.Reason, e.Offset, e.Path.Length == 0 || field.Length == 0 ? field + e.Path : $"{field}.{e.Path}", e);
        }
    }

    // The field that has this slot. No element of a list is set encoded.
    private string Name()
    {
        foreach (MessageField field in _owner.SetFields)
            if (!field.IsRepeated && Unsafe.AreSame(ref _slot, ref _owner.SlotOf(field.Index))) return field.Name;
        return "";
    }
}
