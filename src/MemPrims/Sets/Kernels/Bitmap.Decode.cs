using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// Bits to ids. With 512 bits and VBMI2, the numbers 0 to 63 are packed by the bits of a word and then widened. The only branch: more than
/// 32 ids of 16 bits (16 of 32) take a second store. Without VBMI2, four ids are written for every word that has a bit, and eight for a
/// word that has more. That branch mostly goes the same way.
/// </summary>
internal static class BitmapDecode
{
    /// <summary>
    /// Writes the ids whose bits are set, with <paramref name="high"/> above them, as far as the destination takes them, and returns how
    /// many.
    /// </summary>
    public static int Write<T>(ref ulong words, T high, Span<T> destination) where T : unmanaged, IBinaryInteger<T> =>
        Write(ref words, 0, Bitmap.WordCount, high, destination);

    /// <summary>The same for the words from one up to another.</summary>
    public static int Write<T>(ref ulong words, int from, int to, T high, Span<T> destination) where T : unmanaged, IBinaryInteger<T>
    {
        int written = 0;
        if (MergeLanes512.IsSupported && Unsafe.SizeOf<T>() <= sizeof(uint)) from = WritePacked(ref words, from, to, high, destination,
            out written);
        return written + WriteByWord(ref words, from, to, high, destination[written..]);
    }

    /// <summary>Decodes until the words or the room for a whole word's ids end, and returns the word it got to.</summary>
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
