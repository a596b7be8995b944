namespace MemPrims;

// Arithmetic with polynomials over GF(2), modulo Castagnoli's polynomial. Bits are reflected as in the CRC itself: bit 31 stands for x^0.
// The fast kernels compute their constants by it, so they have no unexplained numbers.
internal static class Crc32CPolynomial
{
    private const uint Reflected = 0x82F63B78;

    // x^`power` modulo the polynomial, its 32 coefficients reflected.
    public static uint Power(int power)
    {
        uint value = 0x8000_0000;
        for (int i = 0; i < power; i++) value = (value >> 1) ^ (Reflected & (0 - (value & 1)));
        return value;
    }
}
