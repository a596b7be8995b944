using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// Finds a container by its key in the heads of a set (u16 key, u16 cardinality - 1, in the order of the keys). It looks first where the
/// key lies if no key is missing, as mostly with ids of documents. Else it halves the heads without a branch, until sixteen are left,
/// which one comparison of a vector decides.
/// </summary>
internal static class KeySearch
{
    private const int Sixteen = 16;

    /// <summary>The container with that key; -1 when there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Find(ref byte heads, int count, int key)
    {
        if (count == 0) return -1;
        int guess = key - Key(ref heads, 0);
        return (uint)guess < (uint)count && Key(ref heads, guess) == key ? guess : Search(ref heads, count, key);
    }

    /// <summary>
    /// The container with that key; where there is none, one of its neighbours. There is one container at least.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Near(ref byte heads, int count, int key, out bool isThere)
    {
        int at = count == 1 ? 0 : key - Key(ref heads, 0);
        if (count > 1 && ((uint)at >= (uint)count || Key(ref heads, at) != key)) at = Math.Min(Below(ref heads, count, key), count - 1);
        isThere = Key(ref heads, at) == key;
        return at;
    }

    /// <summary>
    /// The first container from <paramref name="from"/> on whose key is not below <paramref name="key"/>; <paramref name="count"/> when
    /// there is none.
    /// </summary>
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

    private static int Search(ref byte heads, int count, int key)
    {
        int at = Below(ref heads, count, key);
        return at < count && Key(ref heads, at) == key ? at : -1;
    }

    /// <summary>How many of the keys are below <paramref name="key"/>.</summary>
    private static int Below(ref byte heads, int count, int key)
    {
        int low = 0, size = count, least = Hardware.Tier == Tier.Scalar ? 0 : Sixteen;
        while (size > least)
        {
            int half = (size + 1) >> 1;
            low += (int)SortedSearch.Step(Key(ref heads, low + half - 1) < key, half);
            size -= half;
        }
        if (size == 0) return low;
        if (count < Sixteen)
        {
            int below = 0;
            for (int i = 0; i < count; i++) below += Key(ref heads, i) < key ? 1 : 0;
            return below;
        }
        // All heads before `low` are below the key. The vector may begin earlier, so that it does not end after the heads.
        int start = Math.Min(low, count - Sixteen);
        return start + BelowOfSixteen(ref At(ref heads, start), key);
    }

    /// <summary>How many of sixteen keys are below <paramref name="key"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int BelowOfSixteen(ref byte heads, int key)
    {
        Vector512<uint> keys = Vector512.LoadUnsafe(ref Unsafe.As<byte, uint>(ref heads)) & Vector512.Create((uint)ushort.MaxValue);
        return BitOperations.PopCount(Vector512.LessThan(keys, Vector512.Create((uint)key)).ExtractMostSignificantBits());
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Key(ref byte heads, int index) => Unsafe.ReadUnaligned<ushort>(ref At(ref heads, index));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ref byte At(ref byte heads, int index) => ref Unsafe.Add(ref heads, (nint)index * SetHeader.HeadSize);
}

/// <summary>
/// Looks up increasing keys in a set of many more containers. The density of the keys says where the next key should be, and one
/// comparison of the sixteen heads around that place says where it is. Only unevenly spread keys need a search.
/// </summary>
internal ref struct KeySeeker
{
    /// <summary>
    /// With fewer keys a plain search is used: to learn the density takes a division. For 4 keys among 1000 the plain search takes 0.85 of
    /// the time, for 8 0.97, for 16 1.10 (Zen 4; Sets/thresholds, few keys).
    /// </summary>
    public const int FewestKeys = 10;

    /// <summary>
    /// How many keys ahead a place is fetched: Sets/shapes, 1 k × 100 k in 4 G, took 118 µs without and 101 with (one run each).
    /// </summary>
    public const int Ahead = 8;

    private const int DensityShift = 16, Window = 16;

    private readonly long _density;
    private int _at;

    public KeySeeker(in SetView many)
    {
        int last = many.Length - 1, keys = last > 0 ? many.Key(last) - many.Key(0) : 0;
        _density = keys > 0 ? ((long)last << DensityShift) / keys : 0;
    }

    /// <summary>
    /// Fetches the heads and the offsets where a later key should be. Each seek waits for the one before it; a fetch does not wait.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Expect(in SetView many, int key)
    {
        if (Sse.IsSupported) many.Prefetch(Math.Min(Guess(many, key), many.Length - 1));
    }

    /// <summary>The first container whose key is not below <paramref name="key"/>, which is above those asked for before.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Seek(in SetView many, int key)
    {
        int last = many.Length - Window;
        if (Hardware.Tier == Tier.Scalar || last < 0) return _at = many.Seek(key, _at);
        int start = Math.Clamp(Guess(many, key) - Window / 2, 0, last), below = KeySearch.BelowOfSixteen(ref many.Heads(start), key);
        if (below == 0 && start > 0 || below == Window && start < last) return _at = many.Seek(key, below == 0 ? _at : start + Window);
        return _at = start + below;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly int Guess(in SetView many, int key) =>
        _at + (int)((key - many.Key(Math.Min(_at, many.Length - 1))) * _density >> DensityShift);
}

/// <summary>
/// Counts what two sets share whose keys lie far apart, so that few keys are in both. Sixteen keys of one set are compared with eight of
/// the other at once. Only blocks that share a key are gone through key by key (Sets/shapes, 1 k × 1 k in 4 G: 6.1 µs key by key).
/// </summary>
internal static class SparseKeys
{
    /// <summary>Fewer containers have no whole block.</summary>
    public const int Fewest = Sixteen;

    private const int Sixteen = 16, Eight = 8, KeyBits = 16;

    /// <summary>
    /// Keys are sparse when they lie so far apart on average: then most blocks share none. Going key by key takes 0.7 of the time at a gap
    /// of 8, as long at 12, 1.2 at 16; with 256 bits 0.77 even at 64 (Zen 4; Sets/thresholds, sparse keys).
    /// </summary>
    private const int LeastMeanGap = 12;

    public static bool Suit(in SetView view) =>
        Hardware.Tier == Tier.Vector512 && view.Key(view.Length - 1) - view.Key(0) >= view.Length * LeastMeanGap;

    public static long Count(in SetView a, in SetView b, long enough)
    {
        int i = 0, j = 0;
        long count = 0;
        while (i <= a.Length - Sixteen && j <= b.Length - Eight && count < enough)
        {
            if (ShareKey(ref a.Heads(i), ref b.Heads(j))) count += Walk(a, i, i + Sixteen, b, j, j + Eight, enough);
            int endA = a.Key(i + Sixteen - 1), endB = b.Key(j + Eight - 1);
            i += (endA <= endB ? 1 : 0) * Sixteen;
            j += (endB <= endA ? 1 : 0) * Eight;
        }
        return count < enough ? count + Walk(a, i, a.Length, b, j, b.Length, enough) : count;
    }

    /// <summary>Goes through two stretches key by key.</summary>
    private static long Walk(in SetView a, int i, int endA, in SetView b, int j, int endB, long enough)
    {
        long count = 0;
        while (i < endA && j < endB && count < enough)
        {
            int keyA = a.Key(i), keyB = b.Key(j);
            if (keyA == keyB) count += PairTable.Count(a[i], b[j]);
            i += keyA <= keyB ? 1 : 0;
            j += keyB <= keyA ? 1 : 0;
        }
        return count;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool ShareKey(ref byte sixteen, ref byte eight)
    {
        Vector512<uint> keys = Vector512.LoadUnsafe(ref Unsafe.As<byte, uint>(ref sixteen)) << KeyBits;
        Vector256<uint> others = Vector256.LoadUnsafe(ref Unsafe.As<byte, uint>(ref eight)) << KeyBits;
        return Vector512.EqualsAny(Meeting.Least(keys, ref Unsafe.As<Vector256<uint>, uint>(ref others)), Vector512<uint>.Zero);
    }
}
