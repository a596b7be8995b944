namespace MemPrims.Codecs;

// The lengths of four numbers, as one byte. Each number takes one to four bytes, and has two bits of that byte, from the low end: its
// length − 1. The tables have, for each of the 256 such bytes, the shuffles that bring the four numbers to words and back. They take 12
// KiB and are built once.
internal static unsafe class FourLengths
{
    // A shuffle puts a zero where it has this index.
    private const byte Nothing = 0x80;

    // For each code 16 bytes: the shuffle that brings packed bytes to four words of 32 bits.
    public const int Spread = 0;

    // For each code four words: the least number of each length. A lower number is overlong.
    public const int Least = 256 * 16;

    // For each code 16 bytes: the shuffle that packs four words of 32 bits into their needed bytes.
    public const int Pack = 2 * 256 * 16;

    // All the tables, one after the other, so that a loop needs one register for them. The constants above are where each begins.
    public static readonly byte* Tables = Build();

    // The length of number `i`, 0 to 3.
    public static int LengthOf(int code, int i) => (code >> (2 * i) & 3) + 1;

    // FF in each byte that the number needs: the lowest byte of its word, and all up to the highest that is not zero.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Needed(Vector128<uint> words)
    {
        Vector128<uint> smeared = words | words >>> 8;
        return ~Vector128.Equals((smeared | smeared >>> 16 | Vector128<uint>.One).AsByte(), Vector128<byte>.Zero);
    }

    // As Needed.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<byte> Needed(Vector512<uint> words)
    {
        Vector512<uint> smeared = words | words >>> 8;
        return ~Vector512.Equals((smeared | smeared >>> 16 | Vector512<uint>.One).AsByte(), Vector512<byte>.Zero);
    }

    // The lengths of up to sixteen words, two bits each. The argument has one bit for each of their bytes: whether it is needed.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint CodeOf(ulong needed)
    {
        // A word's four bits are 0001, 0011, 0111 or 1111. The third bit from the right is the high bit of the code. The low bit is the
        // parity of the upper three.
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
