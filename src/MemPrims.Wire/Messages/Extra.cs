using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims.Wire;

// What few messages have: unknown fields, parts that are still encoded, and, with more than 32 fields, the bits that say which are set.
// Each word has the bits of 32 fields, and above them how many are set in the words before: so the slot of a field is found by counting,
// and there are slots only for what is set.
internal sealed class Extra
{
    public ulong[] Words = [];
    public int Count;
    public UnknownFields? Unknown;

    // Of each oneof, the index plus one of the member that was set last.
    private int[]? _lasts;

    // What the sub-messages that are still encoded lie in, and how deep messages may lie in this one.
    public LazyInput? Lazy;
    public int LazyDepth;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsSet(int index) => (Words[index >> 5] >> (index & 31) & 1) != 0;

    public int Rank(int index)
    {
        ulong word = Words[index >> 5];
        return (int)(word >> 32) + BitOperations.PopCount((uint)word & ((1u << (index & 31)) - 1));
    }

    // Sets a bit that is not set. none: the empty bits that all messages of the type share at first.
    public void Set(int index, ulong[] none)
    {
        if (ReferenceEquals(Words, none)) Words = new ulong[none.Length];
        Words[index >> 5] |= 1ul << (index & 31);
        for (int word = (index >> 5) + 1; word < Words.Length; word++) Words[word] += 1ul << 32;
        Count++;
    }

    // Clears a bit that is set.
    public void Unset(int index)
    {
        Words[index >> 5] &= ~(1ul << (index & 31));
        for (int word = (index >> 5) + 1; word < Words.Length; word++) Words[word] -= 1ul << 32;
        Count--;
    }

    public ref int LastOf(Oneof oneof) => ref (_lasts ??= new int[oneof.Type.Oneofs.Count])[oneof.Index];

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
}
