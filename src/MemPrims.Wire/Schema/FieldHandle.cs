namespace MemPrims.Wire;

/// <summary>
/// A field of a message type, looked up once. <see cref="FieldHandle{T}"/> also says as what its values are read. It is for messages of
/// that very type: those of another <see cref="MessageSchema"/> refuse it, also where that was loaded from the same bytes.
/// </summary>
public abstract class FieldHandle
{
    private protected FieldHandle(MessageField field)
    {
        Field = field;
        Type = field.Type;
        Index = field.Index;
    }

    /// <summary>The field.</summary>
    public MessageField Field { get; }

    internal MessageType Type { get; }

    internal int Index { get; }

    /// <inheritdoc/>
    public override string ToString() => Field.ToString();
}

/// <summary>
/// A field whose values are read and set as <typeparamref name="T"/>; of a repeated field, its elements. Take it from
/// <see cref="MessageType.Field{T}(string)"/> once and keep it.
/// </summary>
public sealed class FieldHandle<T> : FieldHandle
{
    private FieldHandle(MessageField field)
        : base(field)
    {
        bool isScalar = Scalars.TypeOf(field.Kind) is not null && typeof(T) != typeof(object), isAlone = !field.IsRepeated
            && field.Oneof is null && !field.IsMapKey;
        IsSingleScalar = isScalar && !field.IsRepeated;
        HoldsObject = field.Kind == FieldKind.String || field.IsMessage;
        bool isStored = isAlone && isScalar && field.EnumType is not { IsClosed: true };
        IsPlain = isStored && field.Type.IsDense && !field.Type.IsMapEntry;
        Presence = field.HasPresence ? 1u : 0;
        KeepsText = isAlone && field.Kind == FieldKind.String;
        KeepsBytes = isAlone && field.IsText;
        IsUtf8Checked = field.IsUtf8Checked;
        Default = field.Defaults.Bits;
    }

    internal bool IsSingleScalar { get; }

    // Text or messages: what lies in its slot as such is what is read. Under a number may lie what another field left there.
    internal bool HoldsObject { get; }

    // A number with a slot and a bit of its own: setting it is a store into each.
    internal bool IsPlain { get; }

    // 1 if it is set even when it is zero, else 0.
    internal ulong Presence { get; }

    // Text that is set by storing it; without presence, if it is not empty.
    internal bool KeepsText { get; }

    internal bool KeepsBytes { get; }

    internal bool IsUtf8Checked { get; }

    internal ulong Default { get; }

    internal static FieldHandle<T> Of(MessageField field)
    {
        if (!Scalars.Fits<T>(field)) throw MessageErrors.WrongType(field, typeof(T));
        return new(field);
    }
}
