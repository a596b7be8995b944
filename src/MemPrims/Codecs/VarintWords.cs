namespace MemPrims.Codecs;

// In each 32-bit word: four groups of 7 bits, one in each byte, and the 28 bits that they are. Two steps of shifts, the same for each
// width (the operators of vectors are in no public interface, so that these two lines cannot be written once for all).
internal static class VarintWords
{
    // The greatest value of four groups.
    public const uint Most = (1 << 28) - 1;

    private const uint Even = 0x007F_007F, Odd = 0x7F00_7F00, Low = 0x0000_3FFF, High = 0x3FFF_0000;

    // The same for eight groups in a word of 64 bits: three steps.
    public static Vector256<ulong> SpreadWide(Vector256<ulong> values)
    {
        Vector256<ulong> fours = values & Vector256.Create(0x0FFF_FFFFul) | (values & Vector256.Create(0x00FF_FFFF_F000_0000ul)) << 4;
        Vector256<ulong> pairs = fours & Vector256.Create(0x0000_3FFF_0000_3FFFul)
            | (fours & Vector256.Create(0x0FFF_C000_0FFF_C000ul)) << 2;
        return pairs & Vector256.Create(0x007F_007F_007F_007Ful) | (pairs & Vector256.Create(0x3F80_3F80_3F80_3F80ul)) << 1;
    }

    public static Vector128<uint> Join(Vector128<uint> groups)
    {
        Vector128<uint> pairs = groups & Vector128.Create(Even) | (groups & Vector128.Create(Odd)) >>> 1;
        return pairs & Vector128.Create(Low) | (pairs & Vector128.Create(High)) >>> 2;
    }

    public static Vector256<uint> Join(Vector256<uint> groups)
    {
        Vector256<uint> pairs = groups & Vector256.Create(Even) | (groups & Vector256.Create(Odd)) >>> 1;
        return pairs & Vector256.Create(Low) | (pairs & Vector256.Create(High)) >>> 2;
    }

    public static Vector512<uint> Join(Vector512<uint> groups)
    {
        Vector512<uint> pairs = groups & Vector512.Create(Even) | (groups & Vector512.Create(Odd)) >>> 1;
        return pairs & Vector512.Create(Low) | (pairs & Vector512.Create(High)) >>> 2;
    }

    public static Vector128<uint> Spread(Vector128<uint> values)
    {
        Vector128<uint> pairs = values & Vector128.Create(Low) | values << 2 & Vector128.Create(High);
        return pairs & Vector128.Create(Even) | pairs << 1 & Vector128.Create(Odd);
    }

    public static Vector512<uint> Spread(Vector512<uint> values)
    {
        Vector512<uint> pairs = values & Vector512.Create(Low) | values << 2 & Vector512.Create(High);
        return pairs & Vector512.Create(Even) | pairs << 1 & Vector512.Create(Odd);
    }
}
