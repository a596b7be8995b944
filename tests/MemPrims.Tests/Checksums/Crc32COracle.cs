namespace MemPrims.Tests;

// The definition, bit by bit: the Castagnoli polynomial, reflected.
internal static class Crc32COracle
{
    public static uint Add(uint state, byte next)
    {
        state ^= next;
        for (int bit = 0; bit < 8; bit++) state = state >> 1 ^ (0 - (state & 1) & 0x82F6_3B78);
        return state;
    }
}
