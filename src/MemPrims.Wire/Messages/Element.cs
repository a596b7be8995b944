namespace MemPrims.Wire;

// One value of a field, single or of a list, between its slot and what the caller asks for. The types were checked against the field
// before.
internal static class Element
{
    // owner: the message that has the slot; null if the value is there as such.
    public static T Read<T>(Message? owner, MessageField field, ref Slot slot)
    {
        if (typeof(T) == typeof(ReadOnlyMemory<byte>)) return (T)(object)slot.Memory(owner?.Source);
        if (typeof(T).IsValueType) return Scalars.FromBits<T>(slot.Bits);
        object value = field.Kind switch
        {
            FieldKind.String => slot.Text(owner?.Source),
            FieldKind.Bytes => slot.Array(owner?.Source),
            FieldKind.Message or FieldKind.Group => slot.Ref as Message ?? owner!.Inner(ref slot, field.MessageType!),
            _ => Scalars.Box(field.Kind, slot.Bits),
        };
        return Unsafe.As<object, T>(ref value);
    }

    public static T Default<T>(MessageField field)
    {
        if (typeof(T) == typeof(ReadOnlyMemory<byte>)) return (T)(object)new ReadOnlyMemory<byte>(field.Defaults.Utf8);
        if (typeof(T).IsValueType) return Scalars.FromBits<T>(field.Defaults.Bits);
        object? value = field.Kind switch
        {
            FieldKind.String => field.Defaults.Text,
            // A copy: the caller may write to it.
            FieldKind.Bytes => field.Defaults.Utf8.Length == 0 ? field.Defaults.Utf8 : field.Defaults.Utf8.Clone(),
            FieldKind.Message or FieldKind.Group => null,
            _ => Scalars.Box(field.Kind, field.Defaults.Bits),
        };
        return Unsafe.As<object?, T>(ref value);
    }

    // The slot of a value that a caller gives.
    public static Slot Make<T>(MessageField field, T value)
    {
        Slot slot = default;
        if (typeof(T) == typeof(ReadOnlyMemory<byte>)) SetMemory(field, (ReadOnlyMemory<byte>)(object)value!, ref slot);
        else if (typeof(T).IsValueType)
        {
            slot.Bits = Scalars.ToBits(value);
            CheckEnum(field, (int)slot.Bits);
        }
        else SetObject(field, value, ref slot);
        return slot;
    }

    public static void CheckEnum(MessageField field, int value)
    {
        if (field.EnumType is { IsClosed: true } type && !type.Has(value))
            throw new ArgumentException($"{field} is of the closed enum {type.FullName}, which does not declare {value}.");
    }

    private static void SetMemory(MessageField field, ReadOnlyMemory<byte> memory, ref Slot slot)
    {
        if (field.IsUtf8Checked && !Ascii.IsUtf8(memory.Span)) throw MessageErrors.NotUtf8(field);
        slot.Set(memory);
    }

    private static void SetObject(MessageField field, object? value, ref Slot slot)
    {
        ArgumentNullException.ThrowIfNull(value);
        switch (field.Kind, value)
        {
            case (FieldKind.String, string text):
                // A key has to be found again by its UTF-8. Other text is looked at when it is encoded.
                if (field.IsMapKey && !Utf16.IsWhole(text)) throw MessageErrors.BadKey(field);
                slot.Ref = value;
                break;
            case (FieldKind.Bytes, byte[] bytes):
                slot.Set(bytes);
                break;
            case (FieldKind.String or FieldKind.Bytes, ReadOnlyMemory<byte> memory):
                SetMemory(field, memory, ref slot);
                break;
            case (FieldKind.Message or FieldKind.Group, Message message):
                if (message.Type != field.MessageType) throw MessageErrors.WrongMessage(field, message.Type);
                slot.Ref = message.Release();
                break;
            default:
                if (Scalars.TypeOf(field.Kind) != value.GetType()) throw MessageErrors.WrongType(field, value.GetType());
                slot.Bits = Scalars.Unbox(value);
                CheckEnum(field, (int)slot.Bits);
                break;
        }
    }
}
