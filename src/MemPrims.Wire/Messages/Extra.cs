namespace MemPrims.Wire;

// What few messages have: unknown fields, parts that are still encoded, and, with more than 32 fields, the fields themselves. Of these
// there are slots only for what is set. Bits say what is set: each word has the bits of 32 fields, and above them how many are set in the
// words before. So the slot of a field is found by counting.
internal sealed class Extra
{
    private readonly ulong[] _none;

    // Of each oneof, the index plus one of the member that was set last.
    private int[]? _lasts;

    // none: the empty bits that all messages of a large type share at first; no words for a message with slots of its own.
    public Extra(ulong[] none) => Words = _none = none;

    public ulong[] Words { get; private set; }

    public Slot[] Slots { get; private set; } = [];

    public int Count { get; private set; }

    public UnknownFields? Unknown;

    // What the sub-messages that are still encoded lie in, and how deep messages may lie in this one.
    public LazyInput? Lazy;
    public int LazyDepth;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsSet(int index) => (Words[index >> 5] >> (index & 31) & 1) != 0;

    public ref Slot SlotOf(int index) => ref Slots[Rank(index)];

    [MethodImpl(MethodImplOptions.NoInlining)]
    public ref Slot Claim(int index)
    {
        int rank = Rank(index);
        if (IsSet(index)) return ref Slots[rank];
        Slot[] slots = Slots;
        if (Count == slots.Length)
        {
            Array.Resize(ref slots, Math.Min(32 * Words.Length, Math.Max(4, 2 * Count)));
            Slots = slots;
        }
        if (rank < Count)
        {
            // The free slot's old content moves along: it may be of use again.
            Slot free = slots[Count];
            Array.Copy(slots, rank, slots, rank + 1, Count - rank);
            slots[rank] = free;
        }
        if (ReferenceEquals(Words, _none)) Words = new ulong[_none.Length];
        Words[index >> 5] |= 1ul << (index & 31);
        for (int word = (index >> 5) + 1; word < Words.Length; word++) Words[word] += 1ul << 32;
        Count++;
        return ref slots[rank];
    }

    public void Unset(int index)
    {
        if (!IsSet(index)) return;
        int rank = Rank(index);
        Words[index >> 5] &= ~(1ul << (index & 31));
        for (int word = (index >> 5) + 1; word < Words.Length; word++) Words[word] -= 1ul << 32;
        Count--;
        Slot free = Slots[rank];
        Array.Copy(Slots, rank + 1, Slots, rank, Count - rank);
        Slots[Count] = free;
    }

    // Clears what else is set in the oneof of a field. Not by a walk over all members: a schema may have a oneof of a million, and a
    // message that names two of them in turn.
    public void ClearOthers(Oneof oneof, int index)
    {
        ref int last = ref (_lasts ??= new int[oneof.Type.Oneofs.Count])[oneof.Index];
        if (last > 0 && last - 1 != index) Unset(last - 1);
        last = index + 1;
    }

    public int NextSet(int from)
    {
        for (int word = from >> 5; word < Words.Length; word++)
        {
            uint rest = (uint)Words[word];
            if (word == from >> 5) rest = rest >> (from & 31) << (from & 31);
            if (rest != 0) return word * 32 + BitOperations.TrailingZeroCount(rest);
        }
        return -1;
    }

    public void Reset()
    {
        if (Count > 0) Array.Clear(Words);
        Count = 0;
        Lazy = null;
        if (Unknown is not null) Unknown.Length = 0;
    }

    private int Rank(int index)
    {
        ulong word = Words[index >> 5];
        return (int)(word >> 32) + BitOperations.PopCount((uint)word & ((1u << (index & 31)) - 1));
    }
}
