namespace MemPrims.Wire;

// What decoding needs of a message besides its fields.
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
    }

    // Says what further slices of this message lie in; those that are there keep theirs.
    internal void LendMore(object source)
    {
        if (ReferenceEquals(_source, source)) return;
        DetachSlices();
        _source = source;
    }

    private UnknownFields UnknownOf() => (_extra ??= new()).Unknown ??= new();

    internal void KeepUnknown(ReadOnlySpan<byte> field) => UnknownOf().Append(field);

    internal void KeepUnknownVarint(int number, ulong value) => UnknownOf().AppendVarint(number, value);
}
