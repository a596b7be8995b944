namespace MemPrims.Wire;

// Repeated fields and maps.
public abstract partial class Message
{
    /// <summary>How many values a repeated field has.</summary>
    public int CountOf(string field) => new RepeatedField(this, _type.Require(field)).Count;

    /// <summary>How many values a repeated field has.</summary>
    public int CountOf(FieldHandle field) => new RepeatedField(this, Own(field)).Count;

    /// <summary>A value of a repeated field; of a map, an entry.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The field has fewer values.</exception>
    public T GetAt<T>(string field, int index) => new RepeatedField(this, Checked<T>(_type.Require(field))).At<T>(index);

    /// <summary>A value of a repeated field; of a map, an entry.</summary>
    public T GetAt<T>(FieldHandle<T> field, int index) => new RepeatedField(this, Own(field)).At<T>(index);

    /// <summary>
    /// Adds a value to a repeated field. A map takes entry messages: one whose key is there already replaces the entry of that key. A key
    /// or value that the entry lacks is zero. <see cref="Map{TKey, TValue}"/> is the simpler way.
    /// </summary>
    public void Add<T>(string field, T value) => new RepeatedField(this, Checked<T>(_type.Require(field))).Add(value);

    /// <summary>Adds a value to a repeated field.</summary>
    public void Add<T>(FieldHandle<T> field, T value) => new RepeatedField(this, Own(field)).Add(value);

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
        new RepeatedField(this, found).Add(made);
        return made;
    }

    /// <summary>Changes a value of a repeated field; not for maps, whose entries are found by key.</summary>
    public void SetAt<T>(string field, int index, T value) =>
        new RepeatedField(this, Checked<T>(_type.Require(field))).SetAt(index, value);

    /// <summary>The values of a repeated number field, side by side, until the field is changed; enums as <see cref="int"/>.</summary>
    /// <remarks>Text, bytes and messages: <see cref="CountOf(string)"/> and <see cref="GetAt{T}(string, int)"/>.</remarks>
    public ReadOnlySpan<T> GetSpan<T>(string field)
        where T : unmanaged => new RepeatedField(this, Checked<T>(_type.Require(field))).Span<T>();

    /// <summary>The values of a repeated number field, side by side, until the field is changed; enums as <see cref="int"/>.</summary>
    public ReadOnlySpan<T> GetSpan<T>(FieldHandle<T> field)
        where T : unmanaged => new RepeatedField(this, Own(field)).Span<T>();

    /// <summary>Adds many numbers to a repeated field. Text, bytes and messages: <see cref="Add{T}(string, T)"/>, one by one.</summary>
    public void AddRange<T>(string field, ReadOnlySpan<T> values)
        where T : unmanaged => new RepeatedField(this, Checked<T>(_type.Require(field))).AddRange(values);

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

    // The slots of a field of text, bytes or messages that is set: its own, or those of its values.
    internal Span<Slot> SlotsOf(MessageField field)
    {
        ref Slot slot = ref SlotOf(field.Index);
        return field.IsRepeated ? ((SlotList)slot.Ref!).Span : new(ref slot);
    }

    internal SlotList? Slots(MessageField field) => IsSet(field.Index) ? (SlotList)SlotOf(field.Index).Ref! : null;

    // Makes this the entry of a map: what it lacks is zero from now on, since both parts are always written.
    // asSlices: Whether empty text is a slice of nothing rather than a string.
    internal void CompleteEntry(bool asSlices)
    {
        _isInMap = true;
        if (_bits == 0b11) return;
        for (int index = 0; index < 2; index++)
        {
            if (IsSet(index)) continue;
            MessageField field = _type.Fields[index];
            if (field.IsMessage) Claim(index).Ref = AtHome(field.MessageType!);
            else Claim(index) = new() { Bits = field.Defaults.Bits, Ref = !field.IsText ? null : asSlices || field.Kind == FieldKind.Bytes
                ? Array.Empty<byte>() : "" };
        }
    }

    private MessageField Own(FieldHandle field)
    {
        if (field?.Type != _type) throw MessageErrors.OtherMessage(field, _type);
        return field.Field;
    }
}
