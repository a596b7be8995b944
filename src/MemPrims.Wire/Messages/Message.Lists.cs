namespace MemPrims.Wire;

// Repeated fields and maps.
public sealed partial class Message
{
    /// <summary>How many values a repeated field has.</summary>
    public int CountOf(string field) => Count(Repeated(_type.Require(field)));

    /// <summary>How many values a repeated field has.</summary>
    public int CountOf(FieldHandle field) => Count(Repeated(Own(field)));

    /// <summary>A value of a repeated field; of a map, an entry.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The field has fewer values.</exception>
    public T GetAt<T>(string field, int index) => ItemAt<T>(Checked<T>(_type.Require(field)), index);

    /// <summary>A value of a repeated field; of a map, an entry.</summary>
    public T GetAt<T>(FieldHandle<T> field, int index) => ItemAt<T>(Own(field), index);

    /// <summary>
    /// Adds a value to a repeated field. A map takes entry messages: one whose key is there already replaces the entry of that key. A key
    /// or value that the entry lacks is zero. <see cref="Map{TKey, TValue}"/> is the simpler way.
    /// </summary>
    public void Add<T>(string field, T value) => AddItem(Checked<T>(_type.Require(field)), value);

    /// <summary>Adds a value to a repeated field.</summary>
    public void Add<T>(FieldHandle<T> field, T value) => AddItem(Own(field), value);

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
        AddItem(found, made);
        return made;
    }

    /// <summary>Changes a value of a repeated field; not for maps, whose entries are found by key.</summary>
    public void SetAt<T>(string field, int index, T value)
    {
        MessageField found = Repeated(Checked<T>(_type.Require(field)));
        if (found.IsMap)
            throw new ArgumentException($"{found} is a map: add an entry with the same key, or change it by its typed view.",
                nameof(field));
        if ((uint)index >= (uint)Count(found)) MessageErrors.OutOfRange(found, index, Count(found));
        Slot made = Element.Make(found, value);
        FieldList list = ListOf(found.Index);
        if (list is SlotList slots) slots.Items[index] = made;
        else list.SetBits(index, made.Bits);
    }

    /// <summary>The values of a repeated number field, side by side, until the field is changed; enums as <see cref="int"/>.</summary>
    public ReadOnlySpan<T> GetSpan<T>(string field)
        where T : unmanaged => SpanOf<T>(Checked<T>(_type.Require(field)));

    /// <summary>The values of a repeated number field, side by side, until the field is changed; enums as <see cref="int"/>.</summary>
    public ReadOnlySpan<T> GetSpan<T>(FieldHandle<T> field)
        where T : unmanaged => SpanOf<T>(Own(field));

    /// <summary>Adds many numbers to a repeated field.</summary>
    public void AddRange<T>(string field, ReadOnlySpan<T> values)
        where T : unmanaged
    {
        MessageField found = Repeated(Checked<T>(_type.Require(field)));
        if (Scalars.TypeOf(found.Kind) != typeof(T) || found.EnumType is { IsClosed: true })
        {
            foreach (T value in values) AddItem(found, value);
            return;
        }
        if (!values.IsEmpty) values.CopyTo(ClaimScalars<T>(found.Index).Extend(values.Length));
    }

    /// <summary>
    /// A map with keys and values of these types, beside its list of entry messages. Types are as for <see cref="Get{T}(string)"/>:
    /// <see cref="object"/> fits every key and value.
    /// </summary>
    /// <exception cref="ArgumentException">The field is no map, or keys or values are of other types.</exception>
    public MapView<TKey, TValue> Map<TKey, TValue>(string field)
        where TKey : notnull => new(this, _type.Require(field));

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

    // The list of a repeated field that is set.
    internal FieldList ListOf(int index) => (FieldList)SlotOf(index).Ref!;

    internal SlotList? Slots(MessageField field) => IsSet(field.Index) ? (SlotList)SlotOf(field.Index).Ref! : null;

    internal T ItemAt<T>(MessageField field, int index)
    {
        int count = Count(Repeated(field));
        if ((uint)index >= (uint)count) MessageErrors.OutOfRange(field, index, count);
        FieldList list = ListOf(field.Index);
        if (list is SlotList slots) return Element.Read<T>(this, field, ref slots.Items[index]);
        if (typeof(T) == typeof(int)) return (T)(object)((ScalarList<int>)list).Items[index];
        Slot slot = new() { Bits = list.GetBits(index) };
        return Element.Read<T>(this, field, ref slot);
    }

    internal void AddItem<T>(MessageField field, T value)
    {
        Repeated(field);
        AddSlot(field, Element.Make(field, value));
    }

    internal void AddSlot(MessageField field, Slot made)
    {
        switch (field.Kind)
        {
            case FieldKind.Int32 or FieldKind.SInt32 or FieldKind.SFixed32 or FieldKind.Enum:
                ClaimScalars<int>(field.Index).Add((int)made.Bits);
                break;
            case FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64: ClaimScalars<long>(field.Index).Add((long)made.Bits); break;
            case FieldKind.UInt32 or FieldKind.Fixed32: ClaimScalars<uint>(field.Index).Add((uint)made.Bits); break;
            case FieldKind.UInt64 or FieldKind.Fixed64: ClaimScalars<ulong>(field.Index).Add(made.Bits); break;
            case FieldKind.Float: ClaimScalars<float>(field.Index).Add(Scalars.FromBits<float>(made.Bits)); break;
            case FieldKind.Double: ClaimScalars<double>(field.Index).Add(Scalars.FromBits<double>(made.Bits)); break;
            case FieldKind.Bool: ClaimScalars<bool>(field.Index).Add(made.Bits != 0); break;
            default:
                if (field.IsMap) ((Message)made.Ref!).CompleteEntry(true);
                SlotList list = ClaimList(field.Index);
                list.Add() = made;
                if (field.IsMap) MapIndex.Settle(list);
                break;
        }
    }

    // Makes this the entry of a map: what it lacks is zero from now on, since both parts are always written.
    // asSlices: Whether empty text is a slice of nothing rather than a string.
    internal void CompleteEntry(bool asSlices)
    {
        _isInMap = true;
        for (int index = 0; index < 2; index++)
        {
            if (IsSet(index)) continue;
            MessageField field = _type.Fields[index];
            if (field.IsMessage) Claim(index).Ref = AtHome(field.MessageType!);
            else Claim(index) = new() { Bits = field.Defaults.Bits, Ref = !field.IsText ? null : asSlices || field.Kind == FieldKind.Bytes
                ? Array.Empty<byte>() : "" };
        }
    }

    private static MessageField Repeated(MessageField field)
    {
        if (!field.IsRepeated) MessageErrors.IsNotRepeated(field);
        return field;
    }

    private ReadOnlySpan<T> SpanOf<T>(MessageField field)
        where T : unmanaged
    {
        if (Scalars.TypeOf(Repeated(field).Kind) is not { } type) throw MessageErrors.WrongType<T>(field);
        if (!IsSet(field.Index)) return default;
        // An enum of the caller's is laid out as an int.
        FieldList list = ListOf(field.Index);
        return type == typeof(int)
            ? System.Runtime.InteropServices.MemoryMarshal.Cast<int, T>(((ScalarList<int>)list).Span)
            : ((ScalarList<T>)list).Span;
    }

    private MessageField Own(FieldHandle field)
    {
        if (field?.Type != _type) MessageErrors.OtherMessage(field, _type);
        return field.Field;
    }
}
