namespace MemPrims.Wire;

/// <summary>
/// A protobuf message whose type was loaded at run time. Make one by <see cref="MessageType.New"/>, or decode one.
/// </summary>
/// <remarks>
/// <para>It may be read by several threads while none changes it. Messages, strings and bytes are set by reference.</para>
/// <para><see cref="Clear()"/> keeps the storage: a message that is cleared or decoded into again uses its sub-messages and lists again. A
/// sub-message that you got from it before changes with that, unless you set it into another message.</para>
/// </remarks>
// Where things are: this file keeps the fields; Message.Access reads and sets them by handle, Message.Named by name, Message.Lists the
// repeated ones; Message.Wire is the way to bytes and JSON, copies and comparison.
[DebuggerDisplay("{Type.FullName,nq}")]
public abstract partial class Message
{
    private readonly MessageType _type;

    // What is set. Up to 32 fields have a bit here and a slot each, in DenseMessage. Larger messages have all that in _extra.
    private uint _bits;
    private Extra? _extra;

    // What slices without a reference of their own lie in: the bytes that the message was decoded from.
    private object? _source;

    // Made by the message that holds it, while decoding, which may use it again; no longer once it was set somewhere else.
    private bool _isAtHome;

    // Whether slices may lie in _source. Set while decoding, no longer once they were copied.
    private bool _isLent;

    // The entry of a map: its key stays as it is.
    private bool _isInMap;

    // There are two classes below this: DenseMessage, and for more fields LargeMessage.
    private protected Message(MessageType type)
    {
        _type = type;
        if (!type.IsDense) _extra = new(type.NoBits!);
    }

    /// <summary>Its type.</summary>
    public MessageType Type => _type;

    internal static Message Make(MessageType type) => type.IsDense ? DenseMessages.Make(type) : new LargeMessage(type);

    // A new message that its owner may use again after it was cleared.
    internal static Message AtHome(MessageType type)
    {
        Message made = Make(type);
        made._isAtHome = true;
        return made;
    }

    internal object? Source => _source;

    internal UnknownFields? Unknown => _extra?.Unknown;

    internal Extra? More => _extra;

    internal uint Bits => _bits;

    /// <summary>Clears all fields, known and unknown, and keeps the storage for what comes next.</summary>
    public void Clear()
    {
        CheckKeys();
        Reset();
        _source = null;
        _isLent = false;
    }

    // Clears the fields, not yet what slices lie in: the next decoding sets that, often to the same.
    internal void Reset()
    {
        _bits = 0;
        _extra?.Reset();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsSet(int index) => _type.IsDense ? (_bits >> index & 1) != 0 : _extra!.IsSet(index);

    // The slot of a field of a message with up to 32 fields, set or not. The index is one of its type.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref Slot DenseSlot(int index) => ref Unsafe.Add(ref Unsafe.As<DenseMessage<Slot>>(this).First, index);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref Slot SlotOf(int index)
    {
        if (_type.IsDense) return ref DenseSlot(index);
        return ref _extra!.SlotOf(index);
    }

    // The slot of a field, which is set from now on. Where it was not, the slot may hold something that was there before.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref Slot Claim(int index)
    {
        if (!_type.IsDense) return ref _extra!.Claim(index);
        _bits |= 1u << index;
        return ref DenseSlot(index);
    }

    internal void Unset(int index)
    {
        if (_type.IsDense) _bits &= ~(1u << index);
        else _extra!.Unset(index);
    }

    // The first index that is set, beginning at from; -1 if there is none.
    internal int NextSet(int from)
    {
        if (!_type.IsDense) return _extra!.NextSet(from);
        uint rest = from > 31 ? 0 : _bits >> from << from;
        return rest == 0 ? -1 : BitOperations.TrailingZeroCount(rest);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void ClearOthers(MessageField field)
    {
        if (_type.IsDense) _bits &= ~field.Oneof!.Bits | 1u << field.Index;
        else _extra!.ClearOthers(field.Oneof!, field.Index);
    }

    // The message in a slot; one that is still encoded is decoded now.
    // mayMiss: whether required fields may be missing: more is merged into the message, or it is looked at to see whether they are.
    internal Message Inner(ref Slot slot, MessageType type, bool mayMiss = false) =>
        slot.Ref as Message ?? EncodedPart.Decode(this, ref slot, type, mayMiss);

    // Keeps the rules by which the parts that stay encoded are decoded later. Said before a slot is claimed for the first of them.
    internal void KeepLazy(LazyInput input, int depth)
    {
        Extra extra = _extra ??= new([]);
        if (ReferenceEquals(extra.Lazy, input)) return;
        // There is room for one input: parts of another take their rules along.
        if (extra.Lazy is not null) Keep();
        (extra.Lazy, extra.LazyDepth, _isLent) = (input, depth, true);
    }

    internal bool IsAtHome(MessageType type) => _isAtHome && ReferenceEquals(_type, type);

    internal void Lend(object source)
    {
        // Storing a reference costs more than looking at it.
        if (!ReferenceEquals(_source, source)) _source = source;
        _isLent = true;
    }

    // Says what further slices of this message lie in; those that are there are copied.
    internal void LendMore(object source)
    {
        if (!ReferenceEquals(_source, source)) Keep();
        Lend(source);
    }

    // Says that this message belongs to no other: nobody may use it again, and it outlives the memory that it was decoded from.
    internal Message Release()
    {
        _isAtHome = false;
        Keep();
        return this;
    }

    internal void Keep()
    {
        if (!_isLent) return;
        new LentSlices(this).Keep();
        _isLent = false;
    }

    internal UnknownFields UnknownToFill() => (_extra ??= new([])).Unknown ??= new();
}
