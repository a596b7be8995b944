using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// Counts the bits of a bitmap, or of two and-ed, without storing anything. 512 bits: eight vectors are added bit by bit by full adders
/// (two ternary-logic instructions each), so that one vector in eight is counted. 256 bits: two look-ups per nibble. Below: a popcount per word.
/// </summary>
internal static class BitmapCount
{
    /// <summary>The bits set in one bitmap.</summary>
    public static int Ones(ref ulong words) => And(ref words, ref words);

    /// <summary>The bits set in both bitmaps.</summary>
    public static int And(ref ulong a, ref ulong b) => Hardware.Tier switch
    {
        Tier.Vector512 => And512(ref a, ref b),
        Tier.Vector256 when Avx2.IsSupported => And256(ref a, ref b),
        _ => AndWords(ref a, ref b, Bitmap.WordCount),
    };

    /// <summary>The bits set from <paramref name="start"/> to <paramref name="end"/>, both included.</summary>
    public static int Range(ref ulong words, int start, int end)
    {
        int first = start >> 6, last = end >> 6;
        ulong head = ulong.MaxValue << start, tail = ulong.MaxValue >> (63 - (end & 63));
        if (first >= last) return BitOperations.PopCount(Unsafe.Add(ref words, first) & head & tail);
        ref ulong inner = ref Unsafe.Add(ref words, first + 1);
        return BitOperations.PopCount(Unsafe.Add(ref words, first) & head)
            + AndWords(ref inner, ref inner, last - first - 1)
            + BitOperations.PopCount(Unsafe.Add(ref words, last) & tail);
    }

    internal static int And512(ref ulong a, ref ulong b)
    {
        const int vectors = Bitmap.WordCount / 8;
        Vector512<ulong> total = Vector512<ulong>.Zero, ones = total, twos = total, fours = total;
        for (nuint i = 0; i < vectors; i += 8)
        {
            Vector512<ulong> twosA = Add(ref ones, Both(ref a, ref b, i), Both(ref a, ref b, i + 1));
            Vector512<ulong> twosB = Add(ref ones, Both(ref a, ref b, i + 2), Both(ref a, ref b, i + 3));
            Vector512<ulong> foursA = Add(ref twos, twosA, twosB);
            twosA = Add(ref ones, Both(ref a, ref b, i + 4), Both(ref a, ref b, i + 5));
            twosB = Add(ref ones, Both(ref a, ref b, i + 6), Both(ref a, ref b, i + 7));
            Vector512<ulong> foursB = Add(ref twos, twosA, twosB);
            total += Ones(Add(ref fours, foursA, foursB));
        }
        total = (total << 3) + (Ones(fours) << 2) + (Ones(twos) << 1) + Ones(ones);
        return (int)Vector512.Sum(total);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector512<ulong> Both(ref ulong a, ref ulong b, nuint vector) => Vector512.LoadUnsafe(ref a, vector * 8) & Vector512.LoadUnsafe(ref b, vector * 8);

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

    internal static int And256(ref ulong a, ref ulong b)
    {
        // A byte counts to 8 a vector, so four vectors are added up before the bytes are summed.
        Vector256<byte> table = Vector256.Create(NibbleOnes), low = Vector256.Create((byte)0xF);
        Vector256<ulong> total = Vector256<ulong>.Zero;
        for (nuint i = 0; i < Bitmap.WordCount; i += 16)
        {
            Vector256<byte> ones = (Ones(ref a, ref b, i, table, low) + Ones(ref a, ref b, i + 4, table, low))
                + (Ones(ref a, ref b, i + 8, table, low) + Ones(ref a, ref b, i + 12, table, low));
            total += Avx2.SumAbsoluteDifferences(ones, Vector256<byte>.Zero).AsUInt64();
        }
        return (int)Vector256.Sum(total);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector256<byte> Ones(ref ulong a, ref ulong b, nuint word, Vector256<byte> table, Vector256<byte> low)
        {
            Vector256<ulong> bits = Vector256.LoadUnsafe(ref a, word) & Vector256.LoadUnsafe(ref b, word);
            return Avx2.Shuffle(table, bits.AsByte() & low) + Avx2.Shuffle(table, (bits >>> 4).AsByte() & low);
        }
    }

    internal static int AndWords(ref ulong a, ref ulong b, int words)
    {
        int even = 0, odd = 0, i = 0;
        for (; i < words - 1; i += 2)
        {
            even += BitOperations.PopCount(Unsafe.Add(ref a, i) & Unsafe.Add(ref b, i));
            odd += BitOperations.PopCount(Unsafe.Add(ref a, i + 1) & Unsafe.Add(ref b, i + 1));
        }
        if (i < words) even += BitOperations.PopCount(Unsafe.Add(ref a, i) & Unsafe.Add(ref b, i));
        return even + odd;
    }

    private static Vector128<byte> NibbleOnes => Vector128.Create((byte)0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
}
