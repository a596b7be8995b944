namespace MemPrims.Wire;

/// <summary>Fields of which at most one is set: setting one clears the others.</summary>
public sealed class Oneof
{
    internal Oneof(string name, MessageType owner) => (Name, Type) = (name, owner);

    /// <summary>Its name in the message.</summary>
    public string Name { get; }

    /// <summary>The message that declares it.</summary>
    public MessageType Type { get; }

    /// <summary>Its fields, in the order of their declaration.</summary>
    public IReadOnlyList<MessageField> Fields => Members;

    internal List<MessageField> Members { get; } = [];

    // Its place among the oneofs of the message, and the bits of its fields in a message of up to 32.
    internal int Index { get; set; }

    internal uint Bits { get; set; }

    /// <inheritdoc/>
    public override string ToString() => $"{Type.FullName}.{Name}";
}
