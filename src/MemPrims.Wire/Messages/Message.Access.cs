namespace MemPrims.Wire;

// Reading and setting single fields by handle. A number by handle is a comparison, a bit and a load or store; so is reading a string or a
// message that is there as such. Everything else goes by its field.
public abstract partial class Message
{
    /// <summary>The value of a field. If it is not set, its default; null for a sub-message.</summary>
    /// <exception cref="ArgumentException">The handle is of another message type, or the field is repeated.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public T Get<T>(FieldHandle<T> field)
    {
        if (field?.Type != _type) throw MessageErrors.OtherMessage(field, _type);
        if (typeof(T).IsValueType && typeof(T) != typeof(ReadOnlyMemory<byte>) && field.IsSingleScalar)
            return Scalars.FromBits<T>(IsSet(field.Index) ? SlotOf(field.Index).Bits : field.Default);
        return ReferenceOf(field);
    }

    // Out of line: a caller that reads many fields has room for so much code in line, and then for none.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private T ReferenceOf<T>(FieldHandle<T> field)
    {
        object? held = !typeof(T).IsValueType && field.HoldsObject && IsSet(field.Index) ? SlotOf(field.Index).Ref : null;
        return held is string or Wire.Message ? Unsafe.As<object?, T>(ref held) : ValueOf<T>(field.Field);
    }

    /// <summary>
    /// Sets a field. Text, bytes and messages are kept by reference; other members of its oneof are cleared. A string with half of a
    /// surrogate pair is refused when the message is encoded, not here: looking for one at each Set would cost what an encode costs.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// The handle or the message is of another message type, the field is repeated, or bytes for text are not UTF-8.
    /// </exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Set<T>(FieldHandle<T> field, T value)
    {
        if (field?.Type != _type) throw MessageErrors.OtherMessage(field, _type);
        if (typeof(T).IsValueType && typeof(T) != typeof(ReadOnlyMemory<byte>))
        {
            ulong bits = Scalars.ToBits(value);
            int index = field.Index;
            if (!field.IsPlain) SetBits(field.Field, bits);
            else
            {
                DenseSlot(index).Bits = bits;
                // Values are often zero by chance, which no branch predicts: so there is none.
                uint isSet = (bits | field.Presence) != 0 ? 1u : 0;
                _bits = _bits & ~(1u << index) | isSet << index;
            }
        }
        else if (typeof(T) == typeof(ReadOnlyMemory<byte>)) SetMemory((FieldHandle<ReadOnlyMemory<byte>>)(object)field,
            (ReadOnlyMemory<byte>)(object)value!);
        else SetReference(field, value);
    }

    private void SetReference<T>(FieldHandle<T> field, T value)
    {
        object? given = value;
        if (given is string text && field.KeepsText && (text.Length > 0 || field.Presence != 0)) Claim(field.Index).Ref = text;
        else SetValue(field.Field, value);
    }

    private void SetMemory(FieldHandle<ReadOnlyMemory<byte>> field, ReadOnlyMemory<byte> value)
    {
        bool isKept = field.KeepsBytes && (value.Length > 0 || field.Presence != 0);
        if (!isKept || !MemoryMarshal.TryGetArray(value, out ArraySegment<byte> segment))
        {
            SetValue(field.Field, value);
            return;
        }
        if (field.IsUtf8Checked && !Ascii.IsUtf8(segment)) throw MessageErrors.NotUtf8(field.Field);
        ref Slot slot = ref Claim(field.Index);
        slot.Bits = Slot.Slice(segment.Offset, segment.Count);
        slot.Ref = segment.Array;
    }

    /// <summary>Whether a field is set; a repeated one, whether it has values.</summary>
    public bool Has(FieldHandle field) => IsSet(Own(field).Index);

    /// <summary>Clears a field.</summary>
    public void Clear(FieldHandle field) => ClearField(Own(field));

    internal T ValueOf<T>(MessageField field)
    {
        if (field.IsRepeated) throw MessageErrors.Repeated(field);
        if (!IsSet(field.Index)) return Element.Default<T>(field);
        return Element.Read<T>(this, field, ref SlotOf(field.Index));
    }

    internal void SetValue<T>(MessageField field, T value)
    {
        if (field.IsRepeated) throw MessageErrors.Repeated(field);
        CheckKey(field);
        Slot made = Element.Make(field, value);
        if (Scalars.TypeOf(field.Kind) is not null)
        {
            SetBits(field, made.Bits);
            return;
        }
        if (!field.HasPresence && made.IsEmptyText)
        {
            Drop(field.Index);
            return;
        }
        if (field.Oneof is not null) ClearOthers(field);
        Claim(field.Index) = made;
    }

    private void ClearField(MessageField field)
    {
        CheckKey(field);
        Drop(field.Index);
    }

    // An entry of a map always has its value: cleared, it is zero.
    private void Drop(int index)
    {
        Unset(index);
        if (_isInMap) CompleteEntry(true);
    }

    // A map finds its entries by their keys.
    private void CheckKey(MessageField field)
    {
        if (_isInMap && field.IsMapKey) throw MessageErrors.KeyIsFixed(_type);
    }

    private void CheckKeys()
    {
        if (_isInMap) throw MessageErrors.KeyIsFixed(_type);
    }

    internal void SetBits(MessageField field, ulong bits)
    {
        if (field.IsRepeated) throw MessageErrors.Repeated(field);
        CheckKey(field);
        Element.CheckEnum(field, (int)bits);
        if (field.Oneof is not null) ClearOthers(field);
        if (bits == 0 && !field.HasPresence) Drop(field.Index);
        else Claim(field.Index).Bits = bits;
    }
}
