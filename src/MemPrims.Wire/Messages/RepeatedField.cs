namespace MemPrims.Wire;

// The values of a repeated field of a message, as callers read, add and change them.
internal readonly ref struct RepeatedField
{
    private readonly Message _message;
    private readonly MessageField _field;

    public RepeatedField(Message message, MessageField field)
    {
        if (!field.IsRepeated) throw MessageErrors.NotRepeated(field);
        (_message, _field) = (message, field);
    }

    public int Count => _message.Count(_field);

    public T At<T>(int index)
    {
        FieldList list = ListWith(index);
        if (list is SlotList slots) return Element.Read<T>(_message, _field, ref slots.Items[index]);
        if (typeof(T) == typeof(int)) return (T)(object)((ScalarList<int>)list).Items[index];
        Slot slot = new() { Bits = list.GetBits(index) };
        return Element.Read<T>(_message, _field, ref slot);
    }

    public void SetAt<T>(int index, T value)
    {
        if (_field.IsMap)
            throw new ArgumentException($"{_field} is a map: add an entry with the same key, or change it by its typed view.", "field");
        FieldList list = ListWith(index);
        Slot made = Element.Make(_field, value);
        if (list is SlotList slots) slots.Items[index] = made;
        else list.SetBits(index, made.Bits);
    }

    public void Add<T>(T value) => Add(Element.Make(_field, value));

    public void Add(Slot made)
    {
        switch (_field.Kind)
        {
            case FieldKind.Int32 or FieldKind.SInt32 or FieldKind.SFixed32 or FieldKind.Enum: AddNumber((int)made.Bits); break;
            case FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64: AddNumber((long)made.Bits); break;
            case FieldKind.UInt32 or FieldKind.Fixed32: AddNumber((uint)made.Bits); break;
            case FieldKind.UInt64 or FieldKind.Fixed64: AddNumber(made.Bits); break;
            case FieldKind.Float: AddNumber(Scalars.FromBits<float>(made.Bits)); break;
            case FieldKind.Double: AddNumber(Scalars.FromBits<double>(made.Bits)); break;
            case FieldKind.Bool: AddNumber(made.Bits != 0); break;
            default:
                if (_field.IsMap) ((Message)made.Ref!).CompleteEntry(true);
                SlotList list = _message.ClaimList(_field.Index);
                list.Add() = made;
                if (_field.IsMap) MapIndex.Settle(list);
                break;
        }
    }

    // An enum of the caller's is laid out as an int.
    public ReadOnlySpan<T> Span<T>()
        where T : unmanaged
    {
        if (Scalars.TypeOf(_field.Kind) is not { } type) throw MessageErrors.WrongType(_field, typeof(T));
        if (!_message.IsSet(_field.Index)) return default;
        FieldList list = _message.ListOf(_field.Index);
        return type == typeof(int) ? MemoryMarshal.Cast<int, T>(((ScalarList<int>)list).Span) : ((ScalarList<T>)list).Span;
    }

    public void AddRange<T>(ReadOnlySpan<T> values)
        where T : unmanaged
    {
        if (Scalars.TypeOf(_field.Kind) != typeof(T) || _field.EnumType is { IsClosed: true })
        {
            foreach (T value in values) Add(value);
        }
        else if (!values.IsEmpty) values.CopyTo(_message.ClaimScalars<T>(_field.Index).Extend(values.Length));
    }

    private void AddNumber<T>(T number)
        where T : unmanaged => _message.ClaimScalars<T>(_field.Index).Add(number);

    // The list, which has a value at an index.
    private FieldList ListWith(int index)
    {
        int count = Count;
        if ((uint)index >= (uint)count) throw MessageErrors.OutOfRange(_field, index, count);
        return _message.ListOf(_field.Index);
    }
}
