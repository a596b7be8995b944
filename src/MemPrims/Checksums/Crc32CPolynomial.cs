namespace MemPrims;

// Arithmetic with polynomials over GF(2), modulo Castagnoli's polynomial. Bits are reflected as in the CRC itself: bit 31 stands for x^0.
// The fast kernels compute their constants by it, so they have no unexplained numbers.
internal static class Crc32CPolynomial
{
    public const uint Reflected = 0x82F63B78;

    // x^`power` modulo the polynomial, its 32 coefficients reflected.
    public static uint Power(int power)
    {
        uint value = 0x8000_0000;
        for (int i = 0; i < power; i++) value = (value >> 1) ^ (Reflected & (0 - (value & 1)));
        return value;
    }

    // The product of two remainders.
    public static uint Multiply(uint left, uint right)
    {
        uint product = 0;
        for (uint bit = 0x8000_0000; bit != 0; bit >>= 1)
        {
            product ^= right & (0 - ((left & bit) != 0 ? 1u : 0));
            right = (right >> 1) ^ (Reflected & (0 - (right & 1)));
        }
        return product;
    }

    // x^(8 · `bytes`), by repeated squaring: a terabyte takes 40 squares, and there is no table.
    public static uint PowerOfBytes(long bytes)
    {
        uint power = 0x8000_0000, square = Power(8);
        for (; bytes > 0; bytes >>= 1, square = Multiply(square, square))
            if ((bytes & 1) != 0) power = Multiply(power, square);
        return power;
    }
}
