namespace MemPrims.Codecs;

// Ids to gaps less one, and back. A block has up to 256 of them.
internal static unsafe class PackedGaps
{
    // The most bits of a gap − 1 that is summed here: sixteen gaps fill 32 bits.
    public const int MostSummed = 27;

    // Words before and behind the gaps in a Room.
    public const int Margin = 16;

    // Where gaps are unpacked and summed: for the gaps, and for sums of two, with margins.
    [InlineArray(2 * PackedBlock.MostGaps + 3 * Margin)]
    public struct Room
    {
        private uint _first;
    }

    private readonly struct True;

    private readonly struct False;

    // Writes the low 32 bits of each gap − 1. Returns false where the ids may be out of order: then a gap, or the two ids beside it,
    // differ in the highest bit. What all have in common is in `any`, the gaps, and `less`, those − 1.
    public static bool Of(ulong* ids, int count, uint* to, out ulong any, out ulong less)
    {
        int i = 0;
        ulong falls = 0;
        any = less = 0;
        if (Hardware.Has512 && count >= 8) i = Of512(ids, count, to, out any, out less, out falls);
        else if (Avx2.IsSupported)
        {
            Vector256<ulong> anys = default, lesses = default, fall = default;
            for (; i + 8 <= count; i += 8)
            {
                Vector256<ulong> a = Vector256.Load(ids + i), b = Vector256.Load(ids + i + 4);
                Vector256<ulong> nextA = Vector256.Load(ids + i + 1), nextB = Vector256.Load(ids + i + 5);
                Vector256<ulong> gapA = nextA - a, gapB = nextB - b;
                Vector256<ulong> lessA = gapA - Vector256<ulong>.One, lessB = gapB - Vector256<ulong>.One;
                fall |= Vector256.AndNot(a, nextA) | Vector256.AndNot(b, nextB);
                anys |= gapA | gapB;
                lesses |= lessA | lessB;
                Vector256<float> mixed = Avx.Shuffle(lessA.AsSingle(), lessB.AsSingle(), 0b10_00_10_00);
                Avx2.Permute4x64(mixed.AsUInt64(), 0b11_01_10_00).AsUInt32().Store(to + i);
            }
            any = Or(anys);
            less = Or(lesses);
            falls = Or(fall);
        }
        for (; i < count; i++)
        {
            ulong gap = ids[i + 1] - ids[i];
            falls |= ids[i] & ~ids[i + 1];
            any |= gap;
            less |= gap - 1;
            to[i] = (uint)gap - 1;
        }
        return (long)(falls | less) >= 0;
    }

    // Compiled for 512 bits before its first call, since nothing else would.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static int Of512(ulong* ids, int count, uint* to, out ulong any, out ulong less, out ulong falls)
    {
        Vector512<ulong> anys = default, lesses = default, fall = default;
        int i = 0;
        for (; i + 8 <= count; i += 8)
        {
            Vector512<ulong> at = Vector512.Load(ids + i), next = Vector512.Load(ids + i + 1), gap = next - at;
            Vector512<ulong> one = gap - Vector512<ulong>.One;
            fall |= Vector512.AndNot(at, next);
            anys |= gap;
            lesses |= one;
            Avx512F.ConvertToVector256UInt32(one).Store(to + i);
        }
        any = Or(anys.GetLower() | anys.GetUpper());
        less = Or(lesses.GetLower() | lesses.GetUpper());
        falls = Or(fall.GetLower() | fall.GetUpper());
        return i;
    }

    // How many of the numbers take more bits than `width`, up to 31.
    public static int CountAbove(uint* gaps, int count, int width)
    {
        int i = 0, fit = 0;
        if (Vector256.IsHardwareAccelerated)
        {
            Vector256<uint> above = Vector256.Create(uint.MaxValue << width), sum = default;
            for (; i + 8 <= count; i += 8) sum -= Vector256.Equals(Vector256.Load(gaps + i) & above, Vector256<uint>.Zero);
            fit = (int)Vector256.Sum(sum);
        }
        for (; i < count; i++) fit += gaps[i] >> width == 0 ? 1 : 0;
        return count - fit;
    }

    // Writes the places of the numbers that take more bits than `width`, up to 31, and may write eight more. Returns how many there are.
    public static int Above(uint* gaps, int count, int width, uint* places)
    {
        int i = 0, found = 0;
        if (Vector256.IsHardwareAccelerated)
        {
            Vector256<uint> high = Vector256.Create(uint.MaxValue << width), at = Vector256<uint>.Indices;
            for (; i + 8 <= count; i += 8, at += Vector256.Create(8u))
            {
                Vector256<uint> above = ~Vector256.Equals(Vector256.Load(gaps + i) & high, Vector256<uint>.Zero);
                uint some = above.ExtractMostSignificantBits();
                if (Avx512F.VL.IsSupported)
                {
                    Avx512F.VL.Compress(Vector256<uint>.Zero, above, at).Store(places + found);
                    found += BitOperations.PopCount(some);
                }
                else
                    for (; some != 0; some &= some - 1) places[found++] = (uint)(i + BitOperations.TrailingZeroCount(some));
            }
        }
        for (; i < count; i++)
            if (gaps[i] >> width != 0) places[found++] = (uint)i;
        return found;
    }

    // Writes the id before the first gap, and the one behind each, so one more than there are gaps. The gaps − 1 have at most MostSummed
    // bits, and lie in the room of a Room. Ids are ulong or uint; sums are those of so many bits.
    public static void Sum<T>(uint* gaps, int count, ulong first, int shift, T* ids)
        where T : unmanaged
    {
        PackedId.Put(ids++, first);
        if (Hardware.Has512 && count == PackedBlock.MostGaps) SumBlock512(gaps, first, shift, ids);
        else if (!Avx2.IsSupported) SumSingly(gaps, count, first, shift, ids);
        else if (shift == 0) Sum256<T, False>(gaps, count, first, 0, ids);
        else Sum256<T, True>(gaps, count, first, shift, ids);
    }

    private static void SumSingly<T>(uint* gaps, int count, ulong first, int shift, T* ids)
        where T : unmanaged
    {
        for (int i = 0; i < count; i++) PackedId.Put(ids + i, first += ((ulong)gaps[i] + 1) << shift);
    }

    // Sums of two and then of four neighbours, by loads that lie one and two words apart: no word has to change its lane. Then each id
    // waits for one addition to the id that is four before it. A step by shuffles in registers takes a third longer.
    private static void Sum256<T, TIsShifted>(uint* gaps, int count, ulong first, int shift, T* ids)
        where T : unmanaged
    {
        uint* pairs = gaps + PackedBlock.MostGaps + Margin;
        // There are no gaps before the first. A pair stands for two ones more, a gap for one.
        Vector256<uint>.AllBitsSet.Store(gaps - 8);
        (Vector256<uint>.AllBitsSet + Vector256<uint>.AllBitsSet).Store(pairs - 8);
        for (int at = 0; at < count; at += 8) (Vector256.Load(gaps + at) + Vector256.Load(gaps + at - 1)).Store(pairs + at);
        Vector256<uint> ones = Vector256.Create(4u);
        Vector256<ulong> four = Vector256.Create(first);
        Vector128<uint> fourNarrow = Vector128.Create((uint)first);
        int i = 0;
        for (; i + 8 <= count; i += 8)
        {
            Vector256<uint> sums = Vector256.Load(pairs + i) + Vector256.Load(pairs + i - 2) + ones;
            if (sizeof(T) == sizeof(uint))
            {
                if (typeof(TIsShifted) == typeof(True)) sums = Vector256.ShiftLeft(sums, shift);
                fourNarrow += sums.GetLower();
                fourNarrow.Store((uint*)ids + i);
                fourNarrow += sums.GetUpper();
                fourNarrow.Store((uint*)ids + i + 4);
                continue;
            }
            Vector256<ulong> a = Avx2.ConvertToVector256Int64(sums.GetLower()).AsUInt64();
            Vector256<ulong> b = Avx2.ConvertToVector256Int64(sums.GetUpper()).AsUInt64();
            four += typeof(TIsShifted) == typeof(True) ? Vector256.ShiftLeft(a, shift) : a;
            four.Store((ulong*)ids + i);
            four += typeof(TIsShifted) == typeof(True) ? Vector256.ShiftLeft(b, shift) : b;
            four.Store((ulong*)ids + i + 4);
        }
        for (; i < count; i++)
        {
            ulong sum = (ulong)(pairs[i] + pairs[i - 2] + 4) << shift;
            PackedId.Put(ids + i, sum + (i < 4 ? first : PackedId.Of(ids + i - 4)));
        }
    }

    // Compiled for 512 bits before its first call, since nothing else would.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void SumBlock512<T>(uint* gaps, ulong first, int shift, T* ids)
        where T : unmanaged
    {
        Vector512<ulong> before = Vector512.Create(first), last = Vector512.Create(7ul);
        Vector512<uint> beforeNarrow = Vector512.Create((uint)first), lastNarrow = Vector512.Create(15u), none = default;
        for (int i = 0; i < PackedBlock.MostGaps; i += 16)
        {
            Vector512<uint> sums = Vector512.Load(gaps + i) + Vector512<uint>.One;
            sums += Avx512F.AlignRight32(sums, none, 15);
            sums += Avx512F.AlignRight32(sums, none, 14);
            sums += Avx512F.AlignRight32(sums, none, 12);
            sums += Avx512F.AlignRight32(sums, none, 8);
            // The next sixteen wait for one addition only.
            if (sizeof(T) == sizeof(uint))
            {
                sums = Vector512.ShiftLeft(sums, shift);
                (sums + beforeNarrow).Store((uint*)ids + i);
                beforeNarrow += Avx512F.PermuteVar16x32(sums, lastNarrow);
                continue;
            }
            Vector512<ulong> a = Vector512.ShiftLeft(Avx512F.ConvertToVector512UInt64(sums.GetLower()), shift);
            Vector512<ulong> b = Vector512.ShiftLeft(Avx512F.ConvertToVector512UInt64(sums.GetUpper()), shift);
            (a + before).Store((ulong*)ids + i);
            (b + before).Store((ulong*)ids + i + 8);
            before += Avx512F.PermuteVar8x64(b, last);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Or(Vector256<ulong> words)
    {
        Vector128<ulong> half = words.GetLower() | words.GetUpper();
        return half.ToScalar() | half.GetElement(1);
    }
}
