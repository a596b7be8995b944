using System.Runtime.CompilerServices;

namespace MemPrims.Wire;

// Sub-messages that are still encoded: set so by the caller, or left so by a lazy decoding.
public sealed partial class Message
{
    // How bytes are decoded that the caller set as a message. They are the caller's own, who may leave out required fields.
    private static readonly DecodeOptions s_encoded = new() { AllowPartial = true };

    // The message in a slot; one that is still encoded is decoded now.
    internal Message Inner(ref Slot slot, MessageType type) => slot.Ref as Message ?? DecodeInner(ref slot, type, mayMiss: false);

    // The same for a message that is not whole yet, or is looked at to see whether it is: required fields may be missing.
    internal Message InnerToMerge(ref Slot slot, MessageType type) => slot.Ref as Message ?? DecodeInner(ref slot, type, mayMiss: true);

    // Keeps the rules by which the parts that stay encoded are decoded later. Said before a slot is claimed for the first of them.
    internal void KeepLazy(LazyInput input, int depth)
    {
        Extra extra = _extra ??= new();
        if (ReferenceEquals(extra.Lazy, input)) return;
        // There is room for one input: parts of another take their rules along.
        if (extra.Lazy is not null) Keep();
        (extra.Lazy, extra.LazyDepth, _isLent) = (input, depth, true);
    }

    // Two readers may both come here: both get the same message.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Message DecodeInner(ref Slot slot, MessageType type, bool mayMiss)
    {
        // The reference is read once: another thread may put its message there meanwhile.
        object? from = slot.Ref;
        if (from is Message already) return already;
        Slot part = new() { Bits = slot.Bits, Ref = from ?? _source };
        Message inner = new(type);
        long used = 0;
        LazyPart? kept = from as LazyPart;
        LazyInput? input = from is null ? _extra?.Lazy : kept?.Input;
        // What else is encoded was set by the caller.
        if (input is not null) input.Decode(inner, in part, (kept?.Depth ?? _extra!.LazyDepth) - 1, mayMiss, out used);
        else DecodeEncoded(inner, in part, ref slot);
        if (Interlocked.CompareExchange(ref slot.Ref, inner, from) is Message first) return first;
        if (used > 0) input!.Charge(used);
        return inner;
    }

    // Decodes bytes that the caller set as a message. The path of a fault begins in this message, its offset counts in the bytes.
    private void DecodeEncoded(Message inner, in Slot part, ref Slot slot)
    {
        try
        {
            Decoder.Decode(inner, part.Span(null), part.Ref, part.Offset, s_encoded);
        }
        catch (WireException e)
        {
            string field = NameOf(ref slot);
            throw new WireException(e.Reason, e.Offset, e.Path.Length == 0 || field.Length == 0 ? field + e.Path : $"{field}.{e.Path}", e);
        }
    }

    // The path of the field, or of the element, that has this slot.
    private string NameOf(ref Slot slot)
    {
        foreach (MessageField field in SetFields)
        {
            if (!field.IsMessage) continue;
            if (!field.IsRepeated)
            {
                if (Unsafe.AreSame(ref slot, ref SlotOf(field.Index))) return field.Name;
                continue;
            }
            Span<Slot> elements = Slots(field)!.Span;
            for (int i = 0; i < elements.Length; i++)
                if (Unsafe.AreSame(ref slot, ref elements[i])) return $"{field.Name}[{i}]";
        }
        return "";
    }
}
