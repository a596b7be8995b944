namespace MemPrims.Wire;

// Repeated fields and maps.
public abstract partial class Message
{
    /// <summary>How many values a repeated field has.</summary>
    public int CountOf(string field) => Count(Repeated(_type.Require(field)));

    /// <summary>How many values a repeated field has.</summary>
    public int CountOf(FieldHandle field) => Count(Repeated(Own(field)));

    /// <summary>A value of a repeated field; of a map, an entry.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The field has fewer values.</exception>
    public T GetAt<T>(string field, int index) => At<T>(Repeated(Checked<T>(_type.Require(field))), index);

    /// <summary>A value of a repeated field; of a map, an entry.</summary>
    public T GetAt<T>(FieldHandle<T> field, int index) => At<T>(Repeated(Own(field)), index);

    /// <summary>
    /// Adds a value to a repeated field. A map takes entry messages: one whose key is there already replaces the entry of that key. A key
    /// or value that the entry lacks is zero. <see cref="Map{TKey, TValue}"/> is the simpler way.
    /// </summary>
    public void Add<T>(string field, T value) => AddValue(Checked<T>(_type.Require(field)), value);

    /// <summary>Adds a value to a repeated field.</summary>
    public void Add<T>(FieldHandle<T> field, T value) => AddValue(Own(field), value);

    /// <summary>
    /// Adds a new, empty message to a repeated field. For a map use <see cref="Map{TKey, TValue}"/>, or make an
    /// entry by New of the field's MessageType and add it.
    /// </summary>
    public Message AddNew(string field)
    {
        MessageField found = Checked<Message>(_type.Require(field));
        if (found.IsMap)
            throw new ArgumentException($"{found} is a map: set its keys and values by Map<TKey, TValue>.", nameof(field));
        Message made = found.MessageType!.New();
        AddValue(found, made);
        return made;
    }

    /// <summary>Changes a value of a repeated field; not for maps, whose entries are found by key.</summary>
    public void SetAt<T>(string field, int index, T value)
    {
        MessageField found = Repeated(Checked<T>(_type.Require(field)));
        if (found.IsMap)
            throw new ArgumentException($"{found} is a map: add an entry with the same key, or change it by its typed view.", "field");
        FieldList list = ListWith(found, index);
        Slot made = Element.Make(found, value);
        if (list is SlotList slots) slots.Items[index] = made;
        else list.SetBits(index, made.Bits);
    }

    /// <summary>The values of a repeated number field, side by side, until the field is changed; enums as <see cref="int"/>.</summary>
    /// <remarks>Text, bytes and messages: <see cref="CountOf(string)"/> and <see cref="GetAt{T}(string, int)"/>.</remarks>
    public ReadOnlySpan<T> GetSpan<T>(string field)
        where T : unmanaged => Span<T>(Checked<T>(_type.Require(field)));

    /// <summary>The values of a repeated number field, side by side, until the field is changed; enums as <see cref="int"/>.</summary>
    public ReadOnlySpan<T> GetSpan<T>(FieldHandle<T> field)
        where T : unmanaged => Span<T>(Own(field));

    /// <summary>Adds many numbers to a repeated field. Text, bytes and messages: <see cref="Add{T}(string, T)"/>, one by one.</summary>
    public void AddRange<T>(string field, ReadOnlySpan<T> values)
        where T : unmanaged
    {
        MessageField found = Repeated(Checked<T>(_type.Require(field)));
        if (Scalars.TypeOf(found.Kind) != typeof(T) || found.EnumType is { IsClosed: true })
        {
            foreach (T value in values) AddValue(found, value);
        }
        else if (!values.IsEmpty) values.CopyTo(ClaimScalars<T>(found.Index).Extend(values.Length));
    }

    /// <summary>
    /// A map with keys and values of these types, beside its list of entry messages. Types are as for <see cref="Get{T}(string)"/>:
    /// <see cref="object"/> fits every key and value.
    /// </summary>
    /// <exception cref="ArgumentException">The field is no map, or keys or values are of other types.</exception>
    public MapView<TKey, TValue> Map<TKey, TValue>(string field)
        where TKey : notnull => new(this, _type.Require(field));

    internal T At<T>(MessageField field, int index)
    {
        FieldList list = ListWith(field, index);
        if (list is SlotList slots) return Element.Read<T>(this, field, ref slots.Items[index]);
        if (typeof(T) == typeof(int)) return (T)(object)((ScalarList<int>)list).Items[index];
        Slot slot = new() { Bits = list.GetBits(index) };
        return Element.Read<T>(this, field, ref slot);
    }

    internal void AddValue<T>(MessageField field, T value) => AddSlot(Repeated(field), Element.Make(field, value));

    internal void AddSlot(MessageField field, Slot made)
    {
        switch (field.Kind)
        {
            case FieldKind.Int32 or FieldKind.SInt32 or FieldKind.SFixed32 or FieldKind.Enum: AddNumber((int)made.Bits); break;
            case FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64: AddNumber((long)made.Bits); break;
            case FieldKind.UInt32 or FieldKind.Fixed32: AddNumber((uint)made.Bits); break;
            case FieldKind.UInt64 or FieldKind.Fixed64: AddNumber(made.Bits); break;
            case FieldKind.Float: AddNumber(Scalars.FromBits<float>(made.Bits)); break;
            case FieldKind.Double: AddNumber(Scalars.FromBits<double>(made.Bits)); break;
            case FieldKind.Bool: AddNumber(made.Bits != 0); break;
            default:
                if (field.IsMap) ((Message)made.Ref!).CompleteEntry(true);
                SlotList list = ClaimList(field.Index);
                list.Add() = made;
                if (field.IsMap) MapIndex.Settle(list);
                break;
        }

        void AddNumber<T>(T number)
            where T : unmanaged => ClaimScalars<T>(field.Index).Add(number);
    }

    // An enum of the caller's is laid out as an int.
    private ReadOnlySpan<T> Span<T>(MessageField field)
        where T : unmanaged
    {
        if (Scalars.TypeOf(Repeated(field).Kind) is not { } type) throw MessageErrors.WrongType(field, typeof(T));
        if (!IsSet(field.Index)) return default;
        FieldList list = ListOf(field.Index);
        return type == typeof(int) ? MemoryMarshal.Cast<int, T>(((ScalarList<int>)list).Span) : ((ScalarList<T>)list).Span;
    }

    private FieldList ListWith(MessageField field, int index)
    {
        int count = Count(field);
        if ((uint)index >= (uint)count) throw MessageErrors.OutOfRange(field, index, count);
        return ListOf(field.Index);
    }

    private static MessageField Repeated(MessageField field) => field.IsRepeated ? field : throw MessageErrors.NotRepeated(field);

    internal SlotList ClaimList(int index)
    {
        bool wasSet = IsSet(index);
        ref Slot slot = ref Claim(index);
        if (slot.Ref is not SlotList list) slot.Ref = list = new();
        else if (!wasSet)
        {
            list.Count = 0;
            list.Index?.Forget();
        }
        return list;
    }

    internal ScalarList<T> ClaimScalars<T>(int index)
        where T : unmanaged
    {
        bool wasSet = IsSet(index);
        ref Slot slot = ref Claim(index);
        if (slot.Ref is not ScalarList<T> list) slot.Ref = list = new();
        else if (!wasSet) list.Count = 0;
        return list;
    }

    internal int Count(MessageField field) => IsSet(field.Index) ? ListOf(field.Index).Count : 0;

    internal FieldList ListOf(int index) => (FieldList)SlotOf(index).Ref!;

    // The slots of a field of text, bytes or messages that is set: its own, or those of its values.
    internal Span<Slot> SlotsOf(MessageField field)
    {
        ref Slot slot = ref SlotOf(field.Index);
        return field.IsRepeated ? ((SlotList)slot.Ref!).Span : new(ref slot);
    }

    internal SlotList? Slots(MessageField field) => IsSet(field.Index) ? (SlotList)SlotOf(field.Index).Ref! : null;

    // Makes this the entry of a map: what it lacks is zero from now on, since both parts are always written.
    // asSlices: whether empty text is a slice of nothing rather than a string.
    internal void CompleteEntry(bool asSlices)
    {
        _isInMap = true;
        if (_bits == 0b11) return;
        for (int index = 0; index < 2; index++)
        {
            if (IsSet(index)) continue;
            MessageField field = _type.Fields[index];
            if (field.IsMessage) Claim(index).Ref = AtHome(field.MessageType!);
            else
            {
                object? text = !field.IsText ? null : asSlices || field.Kind == FieldKind.Bytes ? Array.Empty<byte>() : "";
                Claim(index) = new() { Bits = field.Defaults.Bits, Ref = text };
            }
        }
    }

    private MessageField Own(FieldHandle field)
    {
        if (field?.Type != _type) throw MessageErrors.OtherMessage(field, _type);
        return field.Field;
    }
}
