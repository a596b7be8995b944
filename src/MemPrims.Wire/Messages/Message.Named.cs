namespace MemPrims.Wire;

// The same by name, which costs a look-up in a dictionary, and what tools ask.
public abstract partial class Message
{
    /// <summary>The value of a field. If it is not set, its default; null for a sub-message.</summary>
    /// <remarks>
    /// <typeparamref name="T"/> is the .NET type of the field's kind: <see cref="string"/> for text, <c>byte[]</c> for bytes, for
    /// either <see cref="ReadOnlyMemory{T}"/> of bytes, and no span. <see cref="object"/> fits every field, if the type is known only at
    /// run time. An enum is an <see cref="int"/> or any .NET enum of ints.
    /// </remarks>
    /// <exception cref="ArgumentException">There is no such field, or it is repeated, or its values are of another type.</exception>
    public T Get<T>(string field) => ValueOf<T>(Checked<T>(_type.Require(field)));

    /// <summary>Sets a field. Text, bytes and messages are kept by reference; other members of its oneof are cleared.</summary>
    /// <remarks>Types are as for <see cref="Get{T}(string)"/>: a value may be given as <see cref="object"/>.</remarks>
    /// <exception cref="ArgumentException">There is no such field, it is repeated, or the value is of another type.</exception>
    public void Set<T>(string field, T value) => SetValue(Checked<T>(_type.Require(field)), value);

    /// <summary>Whether a field is set; a repeated one, whether it has values; one without presence, whether it is not zero.</summary>
    public bool Has(string field) => IsSet(_type.Require(field).Index);

    /// <summary>Clears a field.</summary>
    public void Clear(string field) => ClearField(_type.Require(field));

    /// <summary>The sub-message of a field, made and set if it is not there yet.</summary>
    public Message GetOrNew(string field)
    {
        MessageField found = Checked<Message>(_type.Require(field));
        if (found.IsRepeated) throw MessageErrors.Repeated(found);
        if (IsSet(found.Index)) return Inner(ref SlotOf(found.Index), found.MessageType!);
        Message made = found.MessageType!.New();
        SetValue(found, made);
        return made;
    }

    /// <summary>
    /// Sets a sub-message that is encoded already, by reference: leave the memory unchanged while this message has it. It is written as
    /// it is, and decoded only when it is asked for. A fault is found then. Its <see cref="WireException.Path"/> begins in this message,
    /// its offset counts in <paramref name="message"/>.
    /// </summary>
    public void SetEncoded(string field, ReadOnlyMemory<byte> message)
    {
        MessageField found = Checked<Message>(_type.Require(field));
        if (found.IsRepeated) throw MessageErrors.Repeated(found);
        if (found.Oneof is not null) ClearOthers(found);
        Claim(found.Index).Set(message);
    }

    /// <summary>The fields that are set, in the order of their numbers.</summary>
    public IEnumerable<MessageField> SetFields
    {
        get
        {
            for (int index = NextSet(0); index >= 0; index = NextSet(index + 1)) yield return _type.Fields[index];
        }
    }

    /// <summary>The fields that the schema does not know, encoded, in the order in which they came.</summary>
    public ReadOnlySpan<byte> UnknownFields => Unknown is { } unknown ? unknown.Span : default;

    /// <summary>Which field of a oneof is set; null if none is.</summary>
    /// <exception cref="ArgumentException">There is no such oneof.</exception>
    public MessageField? WhichOf(string oneof) => _type.RequireOneof(oneof).Members.Find(field => IsSet(field.Index));

    /// <summary>
    /// The path of the first required field that is missing, here or in a sub-message; null if none is missing. Writing does not check
    /// this; decoding and ParseJson do, unless AllowPartial is set.
    /// </summary>
    public string? FindMissingRequired() => _type.MayMissRequired ? RequiredCheck.Missing(this)?.ToString() : null;

    private static MessageField Checked<T>(MessageField field) =>
        Scalars.Fits<T>(field) ? field : throw MessageErrors.WrongType(field, typeof(T));
}
