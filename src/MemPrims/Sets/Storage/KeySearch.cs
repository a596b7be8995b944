namespace MemPrims.Sets;

// Finds a container by its key in the heads of a set (u16 key, u16 cardinality - 1, in the order of the keys). It looks first where the
// key lies if no key is missing, as mostly with ids of documents. Else it halves the heads without a branch, until sixteen are left, which
// one comparison of a vector decides.
internal static class KeySearch
{
    private const int HeadsAtOnce = 16;

    // The container with that key; where there is none, one of its neighbours. There is one container at least.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Near(ref byte heads, int count, int key, out bool isThere)
    {
        int at = count == 1 ? 0 : key - Key(ref heads, 0);
        if (count > 1 && ((uint)at >= (uint)count || Key(ref heads, at) != key)) at = Math.Min(Below(ref heads, count, key), count - 1);
        isThere = Key(ref heads, at) == key;
        return at;
    }

    // The first container from `from` on whose key is not below `key`; `count` when there is none.
    public static int Seek(ref byte heads, int count, int key, int from)
    {
        if (from >= count) return count;
        int first = Key(ref heads, from);
        if (first >= key) return from;
        int guess = from + (key - first);
        if (guess < count && Key(ref heads, guess) == key) return guess;
        int step = 1;
        while (from + step < count && Key(ref heads, from + step) < key) step <<= 1;
        int low = from + (step >> 1);
        return low + Below(ref At(ref heads, low), Math.Min(from + step, count) - low, key);
    }

    // How many of the keys are below `key`.
    private static int Below(ref byte heads, int count, int key)
    {
        int low = 0, size = count, least = Hardware.Tier == Tier.Scalar ? 0 : HeadsAtOnce;
        while (size > least)
        {
            int half = (size + 1) >> 1;
            low += (int)SortedSearch.Step(Key(ref heads, low + half - 1) < key, half);
            size -= half;
        }
        if (size == 0) return low;
        if (count < HeadsAtOnce)
        {
            int below = 0;
            for (int i = 0; i < count; i++) below += Key(ref heads, i) < key ? 1 : 0;
            return below;
        }
        // All heads before `low` are below the key. The vector may begin earlier, so that it does not end after the heads.
        int start = Math.Min(low, count - HeadsAtOnce);
        return start + BelowOfSixteen(ref At(ref heads, start), key);
    }

    // How many of sixteen keys are below `key`.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int BelowOfSixteen(ref byte heads, int key)
    {
        // As signed numbers, which AVX2 compares.
        Vector512<int> keys = Vector512.LoadUnsafe(ref Unsafe.As<byte, int>(ref heads)) & Vector512.Create((int)ushort.MaxValue);
        return BitOperations.PopCount(Vector512.LessThan(keys, Vector512.Create(key)).ExtractMostSignificantBits());
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Key(ref byte heads, int index) => Unsafe.ReadUnaligned<ushort>(ref At(ref heads, index));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ref byte At(ref byte heads, int index) => ref Unsafe.Add(ref heads, (nint)index * SetHeader.HeadSize);
}
