namespace MemPrims.Pages;

// Binary search among keys that lie anywhere in a page, most of which no cache has. There a loop that branches on the order of two keys
// guesses wrong every second time, but it runs ahead on its guess and has the next keys on their way; one that does not branch takes twice
// the time, unless it asks for keys ahead, and then a quarter more. So this one branches, and is fast by what it compares: all keys share
// what the first, the last and the query share, and the 16 bytes after that decide nearly always, as two numbers; of shorter queries 8.
// Where they tie, the keys are compared whole, and the search goes on with what is shared by then.
//
// Queries of fewer bytes compare whole keys, and there a wrong guess costs more than the wait: they do not branch, and ask ahead. Designs
// that lost are told in SlotSearchCases.
internal static unsafe class SlotKeys
{
    private const int Window = 2 * sizeof(ulong), ShortWindow = sizeof(ulong);

    // Fewer keys are not worth the look at the first and the last one.
    private const int FewestForWindow = 4;

    // How many steps' keys are asked for at once.
    private const int StepsAhead = 4;

    // Where the key is, or would be inserted, among so many slots from `first` on.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Place Find<TSlots>(TSlots slots, byte* key, int length, nint first, nint count)
        where TSlots : struct, ISlots =>
        length < ShortWindow || count < FewestForWindow ? ByCompare(slots, key, length, first, count)
            : ByWindow(slots, key, length, first, first + count - 1);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Place ByWindow<TSlots>(TSlots slots, byte* key, int length, nint first, nint last)
        where TSlots : struct, ISlots
    {
        byte* other = slots.Key(slots.Node(first), out int otherLength), highest = slots.Key(slots.Node(last), out int highestLength);
        int window = length < Window ? ShortWindow : Window;
        bool haveWord = otherLength >= sizeof(ulong) && highestLength >= sizeof(ulong);
        // Where keys of all lengths are mixed, many have no window.
        if (!haveWord && window == ShortWindow) return ByCompare(slots, key, length, first, last - first + 1);
        nint low = 0, high = 0;
        if (haveWord && Word(other) == Word(highest))
        {
            low = Shared(other, key, Math.Min(otherLength, length));
            high = Shared(highest, key, Math.Min(highestLength, length));
        }
        nint at = Math.Min(Math.Min(low, high), length - window);
        ulong x = Word(key + at), x2 = Word(key + at + window - sizeof(ulong));
        while (first <= last)
        {
            nint middle = (first + last) >> 1;
            other = slots.Key(slots.Node(middle), out otherLength);
            if (otherLength - window < at) goto Whole;
            ulong y = Word(other + at);
            bool isLess = y < x;
            if (y == x)
            {
                ulong y2 = Word(other + at + window - sizeof(ulong));
                if (y2 == x2) goto Whole;
                isLess = y2 < x2;
            }
            if (isLess) first = middle + 1;
            else last = middle - 1;
            continue;
        Whole:
            // From the first byte on: keys out of order, of a damaged page, must not pass for the one that is looked for.
            nint shorter = Math.Min(otherLength, length), shared = Shared(other, key, shorter);
            int order = shared < shorter ? other[shared] - key[shared] : otherLength - length;
            if (order == 0) return new(middle, 1);
            if (order < 0) (first, low) = (middle + 1, shared);
            else (last, high) = (middle - 1, shared);
            at = Math.Min(Math.Min(low, high), length - window);
            (x, x2) = (Word(key + at), Word(key + at + window - sizeof(ulong)));
        }
        return new(first, 0);
    }

    // By whole keys, and without a branch on their order.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Place ByCompare<TSlots>(TSlots slots, byte* key, int length, nint first, nint count)
        where TSlots : struct, ISlots
    {
        if (count == 0) return new(first, 0);
        nint half = (count + 1) >> 1;
        byte* node = slots.Node(first + half - 1);
        for (int step = StepsAhead; ; step++)
        {
            // As many are left on either side; the lower one may have one more, which is above the key as well.
            count -= half;
            if (step == StepsAhead)
            {
                AskFor(slots, first, half, count);
                step = 0;
            }
            nint next = (count + 1) >> 1;
            byte* ifGreater = slots.Node(first + next - (next > 0 ? 1 : 0)), ifLess = slots.Node(first + half + next - 1);
            byte* other = slots.Key(node, out int otherLength);
            nint longer = (nint)otherLength - length;
            int order = Block.Compare(other, key, length + (longer & (longer >> 63)));
            if (order == 0)
            {
                if (longer == 0) return new(first + half - 1, 1);
                order = (int)longer;
            }
            nint less = order >> 31;
            first += half & less;
            if (count == 0) return new(first, 0);
            node = (byte*)((nint)ifGreater ^ ((nint)ifGreater ^ (nint)ifLess) & less);
            half = next;
        }
    }

    // Asks for the nodes that this step and the next three may read: this one's is after the first half, and so many are left behind it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void AskFor<TSlots>(TSlots slots, nint first, nint half, nint left) where TSlots : struct, ISlots
    {
        nint second = (left + 1) >> 1, third = (left - second + 1) >> 1, fourth = (left - second - third + 1) >> 1;
        if (!Sse.IsSupported || fourth == 0) return;
        Sse.Prefetch0(slots.Node(first + half - 1));
        AskForBoth(slots, first + second - 1, half);
        AskForBoth(slots, first + third - 1, half);
        AskForBoth(slots, first + second + third - 1, half);
        AskForBoth(slots, first + fourth - 1, half);
        AskForBoth(slots, first + second + fourth - 1, half);
        AskForBoth(slots, first + third + fourth - 1, half);
        AskForBoth(slots, first + second + third + fourth - 1, half);
    }

    // In either half.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void AskForBoth<TSlots>(TSlots slots, nint slot, nint half) where TSlots : struct, ISlots
    {
        Sse.Prefetch0(slots.Node(slot));
        Sse.Prefetch0(slots.Node(slot + half));
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
}

// Slots that lead to nodes, each of which has a key.
internal unsafe interface ISlots
{
    byte* Node(nint slot);

    byte* Key(byte* node, out int length);
}
