using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims.Wire;

/// <summary>
/// A protobuf message whose type was loaded at run time. Make one by <see cref="MessageType.New"/>, or decode one.
/// </summary>
/// <remarks>
/// <para>It may be read by several threads while none changes it. Messages, strings and bytes are set by reference.</para>
/// <para><see cref="Clear()"/> keeps the storage: a message that is cleared or decoded into again uses its sub-messages and lists again. A
/// sub-message that you got from it before changes with that, unless you set it into another message.</para>
/// </remarks>
[DebuggerDisplay("{Type.FullName,nq}")]
public sealed partial class Message
{
    private static readonly Slot[] s_noSlots = [];

    private readonly MessageType _type;

    // What is set. Up to 32 fields have a bit here and a slot each. Larger messages have their bits in _extra, and slots only for what is
    // set.
    private uint _bits;
    private Slot[] _slots;
    private Extra? _extra;

    // What slices without a reference of their own lie in: the bytes that the message was decoded from.
    private object? _source;

    // Made by the message that holds it, while decoding, which may use it again; no longer once it was set somewhere else.
    private bool _isAtHome;

    // Whether slices may lie in _source. Set while decoding, no longer once they were copied.
    private bool _isLent;

    // The entry of a map: its key stays as it is.
    private bool _isInMap;

    internal Message(MessageType type)
    {
        _type = type;
        _slots = s_noSlots;
        if (!type.IsDense) _extra = new() { Words = type.NoBits! };
    }

    /// <summary>Its type.</summary>
    public MessageType Type => _type;

    internal object? Source => _source;

    internal UnknownFields? Unknown => _extra?.Unknown;

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

    // The slot of a field that is set.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref Slot SlotOf(int index)
    {
        if (_type.IsDense) return ref _slots[index];
        return ref _slots[_extra!.Rank(index)];
    }

    // The slot of a field, which is set from now on. Where it was not, the slot may hold something that was there before.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref Slot Claim(int index)
    {
        if (!_type.IsDense) return ref ClaimSparse(index);
        _bits |= 1u << index;
        Slot[] slots = _slots;
        if ((uint)index >= (uint)slots.Length) slots = AllocateSlots();
        return ref slots[index];
    }

    internal void Unset(int index)
    {
        if (_type.IsDense) _bits &= ~(1u << index);
        else UnsetSparse(index);
    }

    // The first index that is set, beginning at from; -1 if there is none.
    internal int NextSet(int from)
    {
        if (!_type.IsDense) return _extra!.NextSet(from);
        uint rest = from > 31 ? 0 : _bits >> from << from;
        return rest == 0 ? -1 : BitOperations.TrailingZeroCount(rest);
    }

    // Clears what else is set in the oneof of a field.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void ClearOthers(MessageField field)
    {
        Oneof oneof = field.Oneof!;
        if (_type.IsDense)
        {
            _bits &= ~oneof.Bits | 1u << field.Index;
            return;
        }
        // Not by a walk over all members: a schema may have a oneof of a million, and a message that names two of them in turn.
        ref int last = ref _extra!.LastOf(oneof);
        if (last > 0 && last - 1 != field.Index) UnsetSparse(last - 1);
        last = field.Index + 1;
    }

    // The bits of a message of up to 32 fields.
    internal uint Bits => _bits;

    internal Slot[] AllSlots => _slots;

    internal Extra? More => _extra;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Slot[] AllocateSlots() => _slots = new Slot[_type.Ops.Length];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ref Slot ClaimSparse(int index)
    {
        Extra extra = _extra!;
        int rank = extra.Rank(index);
        if (extra.IsSet(index)) return ref _slots[rank];
        int count = extra.Count;
        if (count == _slots.Length) Array.Resize(ref _slots, Math.Min(_type.Ops.Length, Math.Max(4, 2 * count)));
        if (rank < count)
        {
            // The free slot's old content moves along: it may be of use again.
            Slot free = _slots[count];
            Array.Copy(_slots, rank, _slots, rank + 1, count - rank);
            _slots[rank] = free;
        }
        extra.Set(index, _type.NoBits!);
        return ref _slots[rank];
    }

    private void UnsetSparse(int index)
    {
        Extra extra = _extra!;
        if (!extra.IsSet(index)) return;
        int rank = extra.Rank(index);
        extra.Unset(index);
        Slot free = _slots[rank];
        Array.Copy(_slots, rank + 1, _slots, rank, extra.Count - rank);
        _slots[extra.Count] = free;
    }
}
