namespace MemPrims.Wire;

// What decoding needs of a message besides its fields.
public sealed partial class Message
{
    /// <summary>A new message that its owner may use again after it was cleared.</summary>
    internal static Message AtHome(MessageType type) => new(type) { _isAtHome = true };

    internal bool IsAtHome(MessageType type) => _isAtHome && ReferenceEquals(_type, type);

    /// <summary>Says what slices of this message lie in.</summary>
    internal void Lend(object source)
    {
        // Storing a reference costs more than looking at it.
        if (!ReferenceEquals(_source, source)) _source = source;
    }

    /// <summary>Says what further slices of this message lie in; those that are there keep theirs.</summary>
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
