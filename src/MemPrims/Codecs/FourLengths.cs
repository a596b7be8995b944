using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Codecs;

/// <summary>
/// Four numbers of one to four bytes each: their lengths as one byte, two bits a number from the low end, each one less than the length.
/// The tables tell, for each of the 256 such bytes, how the four lie side by side: 12 KiB, built once.
/// </summary>
internal static unsafe class FourLengths
{
    // As the index of a shuffle: a zero.
    private const byte Nothing = 0x80;

    /// <summary>For each code 16 bytes: the shuffle from bytes side by side to four words of 32 bits.</summary>
    public const int Spread = 0;

    /// <summary>For each code four words: the least number of that length, below which it is overlong.</summary>
    public const int Least = 256 * 16;

    /// <summary>For each code 16 bytes: the shuffle back, from four words of 32 bits to bytes side by side.</summary>
    public const int Pack = 2 * 256 * 16;

    /// <summary>
    /// All the tables, one after the other, so that a loop needs one register for them; the constants tell where each begins.
    /// </summary>
    public static readonly byte* Tables = Build();

    /// <summary>The length of number <paramref name="i"/>.</summary>
    public static int LengthOf(int code, int i) => (code >> (2 * i) & 3) + 1;

    /// <summary>In each word: FF in the lowest byte and in every byte at or below the highest one that is not zero.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Needed(Vector128<uint> words)
    {
        Vector128<uint> smeared = words | words >>> 8;
        return ~Vector128.Equals((smeared | smeared >>> 16 | Vector128<uint>.One).AsByte(), Vector128<byte>.Zero);
    }

    /// <inheritdoc cref="Needed(Vector128{uint})"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<byte> Needed(Vector512<uint> words)
    {
        Vector512<uint> smeared = words | words >>> 8;
        return ~Vector512.Equals((smeared | smeared >>> 16 | Vector512<uint>.One).AsByte(), Vector512<byte>.Zero);
    }

    /// <summary>The code of up to sixteen words, two bits each, from one bit for each of their bytes, set where it is needed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint CodeOf(ulong needed)
    {
        // A word's four bits are 1, 11, 111 or 1111: the third is the high bit of its code, and the parity of the upper three the low one.
        ulong codes = (needed >> 1 ^ needed >> 2 ^ needed >> 3) & 0x1111_1111_1111_1111 | needed >> 1 & 0x2222_2222_2222_2222;
        codes = (codes | codes >> 2) & 0x0F0F_0F0F_0F0F_0F0F;
        codes = (codes | codes >> 4) & 0x00FF_00FF_00FF_00FF;
        codes = (codes | codes >> 8) & 0x0000_FFFF_0000_FFFF;
        return (uint)(codes | codes >> 16);
    }

    private static byte* Build()
    {
        const int codes = 256, line = 64, size = 3 * codes * 16;
        byte* tables = (byte*)NativeMemory.AlignedAlloc(size, line);
        NativeMemory.Fill(tables, size, Nothing);
        for (int code = 0; code < codes; code++)
        {
            byte* spread = tables + Spread + 16 * code, pack = tables + Pack + 16 * code;
            uint* least = (uint*)(tables + Least + 16 * code);
            int at = 0;
            for (int i = 0; i < 4; i++)
            {
                int length = LengthOf(code, i);
                least[i] = length == 1 ? 0 : 1u << (8 * length - 8);
                for (int b = 0; b < length; b++, at++)
                {
                    spread[4 * i + b] = (byte)at;
                    pack[at] = (byte)(4 * i + b);
                }
            }
        }
        return tables;
    }
}
