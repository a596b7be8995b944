namespace MemPrims.Wire;

// A sub-message that is still encoded: set so by the caller, or left so by a lazy decoding. Two readers may decode it at once: both get
// the same message.
internal static class EncodedPart
{
    // How bytes are decoded that the caller set as a message. They are the caller's own, who may leave out required fields.
    private static readonly DecodeOptions s_asSet = new() { AllowPartial = true };

    public static Message Decode(Message owner, ref Slot slot, MessageType type, bool mayMiss)
    {
        // Read once: another thread may put its message there, or keep the bytes, meanwhile.
        object? from = slot.Ref;
        if (from is Message already) return already;
        Slot part = new() { Bits = slot.Bits, Ref = from ?? owner.Source };
        Message inner = Message.Make(type);
        long used = 0;
        LazyPart? kept = from as LazyPart;
        LazyInput? input = from is null ? owner.More?.Lazy : kept?.Input;
        // What else is encoded was set by the caller.
        if (input is not null) input.Decode(inner, in part, (kept?.Depth ?? owner.More!.LazyDepth) - 1, mayMiss, out used);
        else DecodeAsSet(owner, ref slot, inner, in part);
        while (Interlocked.CompareExchange(ref slot.Ref, inner, from) is var seen && !ReferenceEquals(seen, from))
        {
            if (seen is Message first) return first;
            from = seen;
        }
        if (used > 0) input!.Charge(used);
        return inner;
    }

    // The path of a fault begins in the owner, its offset counts in the bytes.
    private static void DecodeAsSet(Message owner, ref Slot slot, Message inner, in Slot part)
    {
        try
        {
            Decoder.Decode(inner, part.Span(null), part.Ref, part.Offset, s_asSet);
        }
        catch (WireException e)
        {
            string field = Name(owner, ref slot);
            throw new WireException(e.Reason, e.Offset, e.Path.Length == 0 || field.Length == 0 ? field + e.Path : $"{field}.{e.Path}", e);
        }
    }

    // The field that has this slot. No element of a list is set encoded.
    private static string Name(Message owner, ref Slot slot)
    {
        foreach (MessageField field in owner.SetFields)
            if (!field.IsRepeated && Unsafe.AreSame(ref slot, ref owner.SlotOf(field.Index))) return field.Name;
        return "";
    }
}
