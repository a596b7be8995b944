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

    // Keeps the rules by which the parts that stay encoded are decoded later.
    internal void KeepLazy(LazyInput input, int depth)
    {
        Extra extra = _extra ??= new();
        if (ReferenceEquals(extra.Lazy, input)) return;
        // There is room for one input: what is still encoded in another is decoded now.
        if (extra.Lazy is not null) DecodeParts();
        (extra.Lazy, extra.LazyDepth) = (input, depth);
    }

    // Parts of another message are about to be shared: they take their rules along.
    private void TakeLazyOf(Message other)
    {
        if (other._extra?.Lazy is not { } input) return;
        if (_extra?.Lazy is { } own && own != input) other.DecodeParts();
        else KeepLazy(input, other._extra.LazyDepth);
    }

    private void DecodeParts()
    {
        foreach (MessageField field in SetFields)
        {
            if (!field.IsMessage) continue;
            if (!field.IsRepeated) InnerToMerge(ref SlotOf(field.Index), field.MessageType!);
            else
            {
                foreach (ref Slot slot in Slots(field)!.Span) InnerToMerge(ref slot, field.MessageType!);
            }
        }
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
        LazyInput? input = _extra?.Lazy;
        // What lies elsewhere was set by the caller.
        if (input is not null && ReferenceEquals(input.Source, part.Ref))
            input.Decode(inner, in part, _extra!.LazyDepth - 1, mayMiss, out used);
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
