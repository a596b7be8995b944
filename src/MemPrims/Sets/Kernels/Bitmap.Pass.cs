using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// Combines two bitmaps into a third and counts its bits in the same pass, or counts without storing. With 512 bits, full adders (two
/// ternary-logic instructions each) add eight vectors bit by bit, so that only one vector in eight is counted. With 256 bits, each half
/// byte is looked up in a table of counts. Below that, each word is counted by itself.
/// </summary>
internal static class BitmapPass
{
    /// <summary>Writes the combined bits, and returns how many are set. <paramref name="to"/> may be one of both.</summary>
    public static int Combine<TOperation>(ref ulong a, ref ulong b, ref ulong to) where TOperation : struct, IIdOperation =>
        Pass<TOperation, Stored>(ref a, ref b, ref to, Bitmap.WordCount);

    /// <summary>The bits set in both.</summary>
    public static int CountAnd(ref ulong a, ref ulong b) => Pass<AndIds, Counted>(ref a, ref b, ref a, Bitmap.WordCount);

    /// <summary>Sets each bit that differs from the bit below it; the lowest, from 0.</summary>
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
        where TStore : struct, IStore => Hardware.Tier switch
        {
            Tier.Vector512 => Pass512<TOperation, TStore>(ref a, ref b, ref to),
            Tier.Vector256 when Avx2.IsSupported => Pass256<TOperation, TStore>(ref a, ref b, ref to),
            _ => PassWords<TOperation, TStore>(ref a, ref b, ref to, words),
        };

    internal static int Pass512<TOperation, TStore>(ref ulong a, ref ulong b, ref ulong to)
        where TOperation : struct, IIdOperation
        where TStore : struct, IStore
    {
        const int vectors = Bitmap.WordCount / 8;
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

    internal static int Pass256<TOperation, TStore>(ref ulong a, ref ulong b, ref ulong to)
        where TOperation : struct, IIdOperation
        where TStore : struct, IStore
    {
        // A byte counts to 8 a vector, so four vectors are added up before the bytes are summed.
        Vector256<byte> table = Vector256.Create(NibbleOnes), low = Vector256.Create((byte)0xF);
        Vector256<ulong> total = Vector256<ulong>.Zero;
        for (nuint i = 0; i < Bitmap.WordCount; i += 16)
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

    /// <summary>Whether a pass stores what it counts.</summary>
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
