namespace MemPrims.Wire;

// What decoding needs of a message besides its fields.
public sealed partial class Message
{
    /// <summary>A new message that its owner may use again after it was cleared.</summary>
    internal static Message At(Message owner, MessageType type) => new(type) { _home = owner };

    internal bool IsHome(Message owner, MessageType type) => ReferenceEquals(_home, owner) && ReferenceEquals(_type, type);

    /// <summary>Says what slices of this message lie in.</summary>
    internal void Lend(object source)
    {
        // Storing a reference costs more than looking at it.
        if (!ReferenceEquals(_source, source)) _source = source;
    }

    internal void KeepUnknown(ReadOnlySpan<byte> field) => (_unknown ??= new()).Append(field);

    internal void KeepUnknownVarint(int number, ulong value) => (_unknown ??= new()).AppendVarint(number, value);
}
