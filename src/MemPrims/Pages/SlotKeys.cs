namespace MemPrims.Pages;

// Binary search among keys that lie anywhere in a page. A search waits for memory, and it stumbles over the predictor, for the order of
// two keys is a coin's toss. So the search branches on that order only where it compares whole keys, which is rare. While one key is
// compared, both of those that may be next are on their way. All keys share what the first, the last and the query share. The 16 bytes
// after that decide nearly always, as two numbers; where they tie, the keys are compared whole, and the search goes on with what is shared
// by then. Queries of fewer bytes compare whole keys. Designs that lost are told in SlotSearchCases.
internal static unsafe class SlotKeys
{
    private const int Window = 2 * sizeof(ulong);

    // Fewer keys are not worth the look at the first and the last one.
    private const int FewestForWindow = 4;

    // Where the key is, or would be inserted, among so many slots from `first` on.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Place Find<TSlots>(TSlots slots, byte* key, int length, nint first, nint count)
        where TSlots : struct, ISlots =>
        length < Window || count < FewestForWindow ? ByCompare(slots, key, length, first, count)
            : ByWindow(slots, key, length, first, count);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Place ByWindow<TSlots>(TSlots slots, byte* key, int length, nint first, nint count)
        where TSlots : struct, ISlots
    {
        byte* other = slots.Key(slots.Node(first), out int otherLength);
        byte* last = slots.Key(slots.Node(first + count - 1), out int lastLength);
        nint low = 0, high = 0;
        if (otherLength >= sizeof(ulong) && lastLength >= sizeof(ulong) && Word(other) == Word(last))
        {
            low = Shared(other, key, Math.Min(otherLength, length));
            high = Shared(last, key, Math.Min(lastLength, length));
        }
        nint at = Math.Min(Math.Min(low, high), length - Window);
        ulong x = Word(key + at), x2 = Word(key + at + sizeof(ulong));
        nint half = (count + 1) >> 1;
        byte* node = slots.Node(first + half - 1);
        while (true)
        {
            // As many are left on either side; the lower one may have one more, which is above the key as well.
            count -= half;
            nint next = (count + 1) >> 1, less;
            byte* ifGreater = slots.Node(first + next - (next > 0 ? 1 : 0)), ifLess = slots.Node(first + half + next - 1);
            other = slots.Key(node, out otherLength);
            if (otherLength - Window < at) goto Whole;
            ulong y = Word(other + at), y2 = Word(other + at + sizeof(ulong));
            if (((x ^ y) | (x2 ^ y2)) == 0) goto Whole;
            less = -(nint)(One(y < x) | One(y == x) & One(y2 < x2));
        Next:
            first += half & less;
            if (count == 0) return new(first, 0);
            node = (byte*)((nint)ifGreater ^ ((nint)ifGreater ^ (nint)ifLess) & less);
            half = next;
            continue;
        Whole:
            // From the first byte on: keys out of order, of a damaged page, must not pass for the one that is looked for.
            nint shorter = Math.Min(otherLength, length), shared = Shared(other, key, shorter);
            int order = shared < shorter ? other[shared] - key[shared] : otherLength - length;
            if (order == 0) return new(first + half - 1, 1);
            less = order >> 31;
            if (order < 0) low = shared;
            else high = shared;
            at = Math.Min(Math.Min(low, high), length - Window);
            (x, x2) = (Word(key + at), Word(key + at + sizeof(ulong)));
            goto Next;
        }
    }

    // By whole keys, and without a branch on their order as well.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Place ByCompare<TSlots>(TSlots slots, byte* key, int length, nint first, nint count)
        where TSlots : struct, ISlots
    {
        if (count == 0) return new(first, 0);
        nint behind = first + count, last = behind - 1, middle = first + (count >> 1);
        byte* node = slots.Node(middle);
        while (true)
        {
            // What may be next: the lower half's middle, or the upper half's, which may have none.
            nint lower = (first + middle) >> 1, upper = (middle + 1 + behind) >> 1, past = last - upper;
            upper += past & (past >> 63);
            byte* ifGreater = slots.Node(lower), ifLess = slots.Node(upper), other = slots.Key(node, out int otherLength);
            nint longer = (nint)otherLength - length;
            int order = Block.Compare(other, key, length + (longer & (longer >> 63)));
            if (order == 0)
            {
                if (longer == 0) return new(middle, 1);
                order = (int)longer;
            }
            nint less = order >> 31;
            first += (middle + 1 - first) & less;
            behind += (middle - behind) & ~less;
            if (first >= behind) return new(first, 0);
            node = (byte*)((nint)ifGreater ^ ((nint)ifGreater ^ (nint)ifLess) & less);
            middle = lower ^ (lower ^ upper) & less;
        }
    }

    // How many bytes two keys share. In line: a call within the loop would keep all that the loop needs on the stack.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint Shared(byte* left, byte* right, nint length)
    {
        nint at = 0;
        if (length >= Vector128<byte>.Count)
        {
            nint last = length - Vector128<byte>.Count;
            while (true)
            {
                if (at > last) at = last;
                uint same = Vector128.Equals(Vector128.Load(left + at), Vector128.Load(right + at)).ExtractMostSignificantBits();
                if (same != ushort.MaxValue) return at + BitOperations.TrailingZeroCount(~same);
                if (at == last) return length;
                at += Vector128<byte>.Count;
            }
        }
        while (at < length && left[at] == right[at]) at++;
        return at;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Word(byte* at) => BinaryPrimitives.ReverseEndianness(Unsafe.ReadUnaligned<ulong>(at));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte One(bool holds) => Unsafe.BitCast<bool, byte>(holds);
}

// Slots that lead to nodes, each of which has a key.
internal unsafe interface ISlots
{
    byte* Node(nint slot);

    byte* Key(byte* node, out int length);
}
