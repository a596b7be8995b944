using System.Runtime.Intrinsics.Arm;

namespace MemPrims.Sets;

// Combines two bitmaps into a third and counts its bits in the same pass, or counts without storing. With 512 bits, full adders (two
// ternary-logic instructions each) add eight vectors bit by bit, so that only one vector in eight is counted. With 256 bits, each half
// byte is looked up in a table of counts. NEON counts the bits of each byte. Else each word is counted by itself.
internal static class BitmapPass
{
    // The words of a turn with 512 bits; what is left of a part is counted word by word.
    private const int Block = 64;

    // Writes the combined bits, and returns how many are set. `to` may be one of both.
    public static int Combine<TOperation>(ref ulong a, ref ulong b, ref ulong to) where TOperation : struct, IIdOperation =>
        Pass<TOperation, Stored>(ref a, ref b, ref to, Bitmap.WordCount);

    // The bits set in both.
    public static int CountAnd(ref ulong a, ref ulong b) => Pass<AndIds, Counted>(ref a, ref b, ref a, Bitmap.WordCount);

    // The bits set in some words.
    public static int Count(ref ulong words, int count) => Pass<AndIds, Counted>(ref words, ref words, ref words, count);

    // Sets each bit that differs from the bit below it; the lowest, from 0.
    public static void Differences(ref ulong words, ref ulong to)
    {
        int i = 0;
        ulong below = 0;
        // A vector needs the word before it.
        for (; i < Vector<ulong>.Count; i++)
        {
            ulong word = Unsafe.Add(ref words, i);
            Unsafe.Add(ref to, i) = word ^ (word << 1 | below >> 63);
            below = word;
        }
        for (; i < Bitmap.WordCount; i += Vector<ulong>.Count)
        {
            Vector<ulong> word = Vector.LoadUnsafe(ref words, (nuint)i), before = Vector.LoadUnsafe(ref words, (nuint)i - 1);
            (word ^ (word << 1 | before >>> 63)).StoreUnsafe(ref to, (nuint)i);
        }
    }

    private static int Pass<TOperation, TStore>(ref ulong a, ref ulong b, ref ulong to, int words)
        where TOperation : struct, IIdOperation
        where TStore : struct, IStore
    {
        int whole = words & -Block, count = Hardware.Tier switch
        {
            Tier.Vector512 => Pass512<TOperation, TStore>(ref a, ref b, ref to, whole),
            Tier.Vector256 when Avx2.IsSupported => Pass256<TOperation, TStore>(ref a, ref b, ref to, whole),
            Tier.Vector128 when AdvSimd.IsSupported => PassNeon<TOperation, TStore>(ref a, ref b, ref to, whole),
            _ => PassWords<TOperation, TStore>(ref a, ref b, ref to, whole),
        };
        return whole == words ? count : count + PassWords<TOperation, TStore>(ref Unsafe.Add(ref a, whole), ref Unsafe.Add(ref b, whole),
            ref Unsafe.Add(ref to, whole), words - whole);
    }

    internal static int Pass512<TOperation, TStore>(ref ulong a, ref ulong b, ref ulong to, int words)
        where TOperation : struct, IIdOperation
        where TStore : struct, IStore
    {
        nuint vectors = (nuint)words / 8;
        Vector512<ulong> total = Vector512<ulong>.Zero, ones = total, twos = total, fours = total;
        for (nuint i = 0; i < vectors; i += 8)
        {
            Vector512<ulong> twosA = Add(ref ones, Both(ref a, ref b, ref to, i), Both(ref a, ref b, ref to, i + 1));
            Vector512<ulong> twosB = Add(ref ones, Both(ref a, ref b, ref to, i + 2), Both(ref a, ref b, ref to, i + 3));
            Vector512<ulong> foursA = Add(ref twos, twosA, twosB);
            twosA = Add(ref ones, Both(ref a, ref b, ref to, i + 4), Both(ref a, ref b, ref to, i + 5));
            twosB = Add(ref ones, Both(ref a, ref b, ref to, i + 6), Both(ref a, ref b, ref to, i + 7));
            Vector512<ulong> foursB = Add(ref twos, twosA, twosB);
            total += Ones(Add(ref fours, foursA, foursB));
        }
        total = (total << 3) + (Ones(fours) << 2) + (Ones(twos) << 1) + Ones(ones);
        return (int)Vector512.Sum(total);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector512<ulong> Both(ref ulong a, ref ulong b, ref ulong to, nuint vector)
        {
            Vector512<ulong> bits = TOperation.Apply(Vector512.LoadUnsafe(ref a, vector * 8), Vector512.LoadUnsafe(ref b, vector * 8));
            if (TStore.Stores) bits.StoreUnsafe(ref to, vector * 8);
            return bits;
        }

        // A full adder for each bit: leaves the sum, returns the carry.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector512<ulong> Add(ref Vector512<ulong> sum, Vector512<ulong> x, Vector512<ulong> y)
        {
            const byte majority = 0xE8, odd = 0x96;
            Vector512<ulong> carry = Avx512F.TernaryLogic(sum, x, y, majority);
            sum = Avx512F.TernaryLogic(sum, x, y, odd);
            return carry;
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector512<ulong> Ones(Vector512<ulong> bits)
        {
            Vector512<byte> table = Vector512.Create(Vector256.Create(NibbleOnes)), low = Vector512.Create((byte)0xF);
            Vector512<byte> ones = Avx512BW.Shuffle(table, bits.AsByte() & low) + Avx512BW.Shuffle(table, (bits >>> 4).AsByte() & low);
            return Avx512BW.SumAbsoluteDifferences(ones, Vector512<byte>.Zero).AsUInt64();
        }
    }

    internal static int Pass256<TOperation, TStore>(ref ulong a, ref ulong b, ref ulong to, int words)
        where TOperation : struct, IIdOperation
        where TStore : struct, IStore
    {
        // A byte counts to 8 a vector, so four vectors are added up before the bytes are summed.
        Vector256<byte> table = Vector256.Create(NibbleOnes), low = Vector256.Create((byte)0xF);
        Vector256<ulong> total = Vector256<ulong>.Zero;
        for (nuint i = 0; i < (nuint)words; i += 16)
        {
            Vector256<byte> ones = (Ones(ref a, ref b, ref to, i, table, low) + Ones(ref a, ref b, ref to, i + 4, table, low))
                + (Ones(ref a, ref b, ref to, i + 8, table, low) + Ones(ref a, ref b, ref to, i + 12, table, low));
            total += Avx2.SumAbsoluteDifferences(ones, Vector256<byte>.Zero).AsUInt64();
        }
        return (int)Vector256.Sum(total);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector256<byte> Ones(ref ulong a, ref ulong b, ref ulong to, nuint word, Vector256<byte> table, Vector256<byte> low)
        {
            Vector256<ulong> bits = TOperation.Apply(Vector256.LoadUnsafe(ref a, word), Vector256.LoadUnsafe(ref b, word));
            if (TStore.Stores) bits.StoreUnsafe(ref to, word);
            return Avx2.Shuffle(table, bits.AsByte() & low) + Avx2.Shuffle(table, (bits >>> 4).AsByte() & low);
        }
    }

    // Seven instructions for 16 bytes, eight with a store. Word by word it takes eleven for 8 bytes: each count goes from one kind of
    // register to the other.
    internal static int PassNeon<TOperation, TStore>(ref ulong a, ref ulong b, ref ulong to, int words)
        where TOperation : struct, IIdOperation
        where TStore : struct, IStore
    {
        Vector128<uint> total = Vector128<uint>.Zero;
        for (; words > 0; words -= 8)
        {
            Vector128<byte> ones = (Ones(ref a, ref b, ref to, 0) + Ones(ref a, ref b, ref to, 2))
                + (Ones(ref a, ref b, ref to, 4) + Ones(ref a, ref b, ref to, 6));
            total = AdvSimd.AddPairwiseWideningAndAdd(total, AdvSimd.AddPairwiseWidening(ones));
            a = ref Unsafe.Add(ref a, 8);
            b = ref Unsafe.Add(ref b, 8);
            if (TStore.Stores) to = ref Unsafe.Add(ref to, 8);
        }
        return (int)Vector128.Sum(total);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector128<byte> Ones(ref ulong a, ref ulong b, ref ulong to, nuint word)
        {
            Vector128<ulong> bits = TOperation.Apply(Vector128.LoadUnsafe(ref a, word), Vector128.LoadUnsafe(ref b, word));
            if (TStore.Stores) bits.StoreUnsafe(ref to, word);
            return AdvSimd.PopCount(bits.AsByte());
        }
    }

    internal static int PassWords<TOperation, TStore>(ref ulong a, ref ulong b, ref ulong to, int words)
        where TOperation : struct, IIdOperation
        where TStore : struct, IStore
    {
        int even = 0, odd = 0, i = 0;
        for (; i < words - 1; i += 2)
        {
            even += One(ref a, ref b, ref to, i);
            odd += One(ref a, ref b, ref to, i + 1);
        }
        if (i < words) even += One(ref a, ref b, ref to, i);
        return even + odd;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static int One(ref ulong a, ref ulong b, ref ulong to, nint i)
        {
            ulong word = TOperation.Apply(Unsafe.Add(ref a, i), Unsafe.Add(ref b, i));
            if (TStore.Stores) Unsafe.Add(ref to, i) = word;
            return BitOperations.PopCount(word);
        }
    }

    private static Vector128<byte> NibbleOnes => Vector128.Create((byte)0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);

    // Whether a pass stores what it counts.
    internal interface IStore
    {
        static abstract bool Stores { get; }
    }

    internal readonly struct Stored : IStore
    {
        public static bool Stores => true;
    }

    internal readonly struct Counted : IStore
    {
        public static bool Stores => false;
    }
}

// Bits to ids. With 512 bits and VBMI2, the numbers 0 to 63 are packed by the bits of a word and then widened. The only branch: more than
// 32 ids of 16 bits (16 of 32) take a second store. Without VBMI2, four ids are written for every word that has a bit, and eight for a
// word that has more. That branch mostly goes the same way.
internal static class BitmapDecode
{
    // Writes the ids whose bits are set, with `high` above them, as far as the destination takes them, and returns how many.
    public static int Write<T>(ref ulong words, T high, Span<T> destination) where T : unmanaged, IBinaryInteger<T> =>
        Write(ref words, 0, Bitmap.WordCount, high, destination);

    // The same for the words from one up to another.
    public static int Write<T>(ref ulong words, int from, int to, T high, Span<T> destination) where T : unmanaged, IBinaryInteger<T>
    {
        int written = 0;
        if (MergeLanes512.IsSupported && Unsafe.SizeOf<T>() <= sizeof(uint)) from = WritePacked(ref words, from, to, high, destination,
            out written);
        return written + WriteByWord(ref words, from, to, high, destination[written..]);
    }

    // Decodes until the words or the room for a whole word's ids end, and returns the word it got to.
    private static int WritePacked<T>(ref ulong words, int from, int to, T high, Span<T> destination, out int written)
        where T : unmanaged, IBinaryInteger<T>
    {
        const int most = 64;
        // Lane i gets the byte of the word that holds bit i.
        Vector512<byte> spread = Vector512.Create(0x0101010101010101ul * 0, 0x0101010101010101ul * 1, 0x0101010101010101ul * 2,
            0x0101010101010101ul * 3,
            0x0101010101010101ul * 4, 0x0101010101010101ul * 5, 0x0101010101010101ul * 6, 0x0101010101010101ul * 7).AsByte();
        Vector512<byte> bits = Vector512.Create(0x8040201008040201ul).AsByte();
        ref T first = ref MemoryMarshal.GetReference(destination);
        nint at = 0, last = destination.Length - most;
        for (; from < to && at <= last; from++)
        {
            ulong word = Unsafe.Add(ref words, from);
            Vector512<byte> isSet = ~Vector512.Equals(Avx512BW.Shuffle(Vector512.Create(word).AsByte(), spread) & bits,
                Vector512<byte>.Zero);
            Vector512<byte> ids = Avx512Vbmi2.Compress(Vector512<byte>.Zero, isSet, Vector512<byte>.Indices);
            int count = BitOperations.PopCount(word);
            T start = high | T.CreateTruncating(from << 6);
            ref T place = ref Unsafe.Add(ref first, at);
            if (Unsafe.SizeOf<T>() == sizeof(ushort)) Store16(ids, ushort.CreateTruncating(start), count, ref Unsafe.As<T,
                ushort>(ref place));
            else Store32(ids, uint.CreateTruncating(start), count, ref Unsafe.As<T, uint>(ref place));
            at += count;
        }
        written = (int)at;
        return from;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Store16(Vector512<byte> ids, ushort start, int count, ref ushort to)
    {
        Vector512<ushort> base16 = Vector512.Create(start);
        (Avx512BW.ConvertToVector512UInt16(ids.GetLower()) + base16).StoreUnsafe(ref to);
        if (count > 32) (Avx512BW.ConvertToVector512UInt16(ids.GetUpper()) + base16).StoreUnsafe(ref to, 32);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Store32(Vector512<byte> ids, uint start, int count, ref uint to)
    {
        Vector512<uint> base32 = Vector512.Create(start);
        (Avx512F.ConvertToVector512UInt32(ids.GetLower().GetLower()) + base32).StoreUnsafe(ref to);
        if (count <= 16) return;
        (Avx512F.ConvertToVector512UInt32(ids.GetLower().GetUpper()) + base32).StoreUnsafe(ref to, 16);
        if (count <= 32) return;
        (Avx512F.ConvertToVector512UInt32(ids.GetUpper().GetLower()) + base32).StoreUnsafe(ref to, 32);
        (Avx512F.ConvertToVector512UInt32(ids.GetUpper().GetUpper()) + base32).StoreUnsafe(ref to, 48);
    }

    private static int WriteByWord<T>(ref ulong words, int from, int to, T high, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
    {
        ref T first = ref MemoryMarshal.GetReference(destination);
        nint written = 0, last = destination.Length - 8;
        for (int i = from; i < to; i++)
        {
            ulong word = Unsafe.Add(ref words, i);
            if (word == 0) continue;
            T start = high | T.CreateTruncating(i << 6);
            int bits = BitOperations.PopCount(word);
            nint next = Math.Min(written + bits, destination.Length);
            if (written <= last)
            {
                Four(ref Unsafe.Add(ref first, written), ref word, start);
                if (bits > 4) Four(ref Unsafe.Add(ref first, written + 4), ref word, start);
                written += 8;
            }
            for (; written < next; written++, word &= word - 1) Unsafe.Add(ref first, written) = start
                | T.CreateTruncating(BitOperations.TrailingZeroCount(word));
            written = next;
        }
        return (int)written;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static void Four(ref T to, ref ulong word, T from)
        {
            for (int k = 0; k < 4; k++, word &= word - 1) Unsafe.Add(ref to, k) = from
                | T.CreateTruncating(BitOperations.TrailingZeroCount(word));
        }
    }
}
