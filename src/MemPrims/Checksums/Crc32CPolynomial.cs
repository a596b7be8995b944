namespace MemPrims;

/// <summary>
/// Arithmetic with polynomials over GF(2) modulo Castagnoli's, bits reflected as in the CRC itself: bit 31 stands for x^0. The constants of the
/// fast kernels come from here, so that no unexplained number stands in them.
/// </summary>
internal static class Crc32CPolynomial
{
    public const uint Reflected = 0x82F63B78;

    /// <summary>x^<paramref name="power"/> modulo the polynomial, its 32 coefficients reflected.</summary>
    public static uint Power(int power)
    {
        uint value = 0x8000_0000;
        for (int i = 0; i < power; i++) value = (value >> 1) ^ (Reflected & (0 - (value & 1)));
        return value;
    }
}
