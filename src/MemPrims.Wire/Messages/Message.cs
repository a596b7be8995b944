using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims.Wire;

/// <summary>
/// A protobuf message whose type is data. Make one by <see cref="MessageType.New"/>, or decode one.
/// </summary>
/// <remarks>
/// <para>It may be read by several threads while none changes it. Messages, strings and bytes are set by reference.</para>
/// <para><see cref="Clear()"/> keeps the storage: a message that is cleared or decoded into again uses its sub-messages and lists again. A
/// sub-message that was taken from it then changes; one that was set into another message does not.</para>
/// </remarks>
[DebuggerDisplay("{Type.FullName,nq}")]
public sealed partial class Message
{
    private static readonly Slot[] s_noSlots = [];

    private readonly MessageType _type;

    // What is set. Up to 32 fields have a bit here and a slot each. Larger messages have their bits in _words, 32 in each, and above them the number of
    // bits set in the words before: so the slot of a field is found by counting, and there are slots only for what is set.
    private uint _bits;
    private int _count;
    private ulong[]? _words;
    private Slot[] _slots;

    // What slices without a reference of their own lie in: the bytes that the message was decoded from.
    private object? _source;
    private UnknownFields? _unknown;

    // The message that made this one while decoding, and may use it again. Null once it was set somewhere else.
    private Message? _home;

    internal Message(MessageType type)
    {
        _type = type;
        _slots = s_noSlots;
        _words = type.NoBits;
    }

    /// <summary>Its type.</summary>
    public MessageType Type => _type;

    internal object? Source => _source;

    internal UnknownFields? Unknown => _unknown;

    internal Layout GetLayout() => new(_slots, _words, _bits, _count);

    /// <summary>Clears all fields, known and unknown, and keeps the storage for what comes next.</summary>
    public void Clear()
    {
        Reset();
        _source = null;
    }

    /// <summary>Clears the fields, not yet what slices lie in: the next decoding sets that, often to the same.</summary>
    internal void Reset()
    {
        _bits = 0;
        if (_words is not null && _count > 0) Array.Clear(_words);
        _count = 0;
        if (_unknown is not null) _unknown.Length = 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsSet(int index) => _words is null ? (_bits >> index & 1) != 0 : (_words[index >> 5] >> (index & 31) & 1) != 0;

    /// <summary>The slot of a field that is set.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref Slot SlotOf(int index)
    {
        if (_words is null) return ref _slots[index];
        return ref _slots[Rank(_words, index)];
    }

    /// <summary>The slot of a field, which is set from now on. Where it was not, the slot may hold something that was there before.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref Slot Claim(int index)
    {
        if (_words is not null) return ref ClaimSparse(index);
        _bits |= 1u << index;
        Slot[] slots = _slots;
        if ((uint)index >= (uint)slots.Length) slots = AllocateSlots();
        return ref slots[index];
    }

    internal void Unset(int index)
    {
        if (_words is null) _bits &= ~(1u << index);
        else UnsetSparse(index);
    }

    /// <summary>The smallest index from <paramref name="from"/> on that is set; -1 where there is none.</summary>
    internal int NextSet(int from)
    {
        if (_words is null)
        {
            uint rest = from > 31 ? 0 : _bits >> from << from;
            return rest == 0 ? -1 : BitOperations.TrailingZeroCount(rest);
        }
        for (int word = from >> 5; word < _words.Length; word++)
        {
            uint rest = (uint)_words[word];
            if (word == from >> 5) rest = rest >> (from & 31) << (from & 31);
            if (rest != 0) return word * 32 + BitOperations.TrailingZeroCount(rest);
        }
        return -1;
    }

    /// <summary>Clears what else is set in the oneof of a field.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void ClearOthers(MessageField field)
    {
        foreach (MessageField member in field.Oneof!.Members)
            if (member != field && IsSet(member.Index)) Unset(member.Index);
    }

    /// <summary>Says that this message belongs to no other: nobody may use it again.</summary>
    internal Message Release()
    {
        _home = null;
        return this;
    }

    /// <summary>Where the values are, for a loop over them.</summary>
    internal readonly record struct Layout(Slot[] Slots, ulong[]? Words, uint Bits, int Count);

    private static int Rank(ulong[] words, int index)
    {
        ulong word = words[index >> 5];
        return (int)(word >> 32) + BitOperations.PopCount((uint)word & ((1u << (index & 31)) - 1));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Slot[] AllocateSlots() => _slots = new Slot[_type.Ops.Length];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ref Slot ClaimSparse(int index)
    {
        ulong[] words = _words!;
        int rank = Rank(words, index);
        if ((words[index >> 5] >> (index & 31) & 1) != 0) return ref _slots[rank];
        if (ReferenceEquals(words, _type.NoBits)) _words = words = new ulong[words.Length];
        words[index >> 5] |= 1ul << (index & 31);
        for (int word = (index >> 5) + 1; word < words.Length; word++) words[word] += 1ul << 32;
        if (_count == _slots.Length) Array.Resize(ref _slots, Math.Min(_type.Ops.Length, Math.Max(4, 2 * _count)));
        if (rank < _count)
        {
            // The free slot's old content moves along: it may be of use again.
            Slot free = _slots[_count];
            Array.Copy(_slots, rank, _slots, rank + 1, _count - rank);
            _slots[rank] = free;
        }
        _count++;
        return ref _slots[rank];
    }

    private void UnsetSparse(int index)
    {
        ulong[] words = _words!;
        if ((words[index >> 5] >> (index & 31) & 1) == 0) return;
        int rank = Rank(words, index);
        words[index >> 5] &= ~(1ul << (index & 31));
        for (int word = (index >> 5) + 1; word < words.Length; word++) words[word] -= 1ul << 32;
        Slot free = _slots[rank];
        Array.Copy(_slots, rank + 1, _slots, rank, --_count - rank);
        _slots[_count] = free;
    }
}
