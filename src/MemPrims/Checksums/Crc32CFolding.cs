namespace MemPrims;

// CRC-32C by folding (VPCLMULQDQ). The message is a polynomial, and a part of it may be replaced by anything with the same remainder. Four
// registers hold 64 bytes each. Multiplying one by x^2048 moves it 256 bytes on, where it is added to the next bytes. At the end the four
// are folded into one register, and the CRC instruction takes the remainder of its 64 bytes and of the tail.
// Bits are reflected, so the product of two 64-bit operands comes out multiplied by x. To multiply by x^n, the factor is x^(n−1). A lane
// of 128 bits is low · x^64 + high, so the exponents of its two factors differ by 64.
internal static unsafe class Crc32CFolding
{
    public const int Minimum = Turn;

    private const int Lane = 64, Turn = 4 * Lane;

    private static readonly Vector512<ulong> s_byTurn = Factors(8 * Turn), s_byLane = Factors(8 * Lane);

    public static bool IsSupported => Hardware.HasProduct512;

    // Continues a CRC. Neither the argument nor the result is inverted. `length` is at least Minimum.
    // Marked, since no 512-bit code is precompiled.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static uint Update(uint crc, byte* source, nint length)
    {
        Debug.Assert(length >= Minimum, "The block has a turn.");
        // First of all, since this may call the type's initializer: registers that live across a call are kept in memory, in the loop
        // too. Blocks of 256 bytes and more took twice the time (Zen 4).
        Vector512<ulong> byTurn = s_byTurn, byLane = s_byLane;
        Vector512<ulong> a = Load(source) ^ Vector512.CreateScalar((ulong)crc), b = Load(source + Lane), c = Load(source + 2 * Lane),
            d = Load(source + 3 * Lane);
        source += Turn;
        length -= Turn;
        for (; length >= Turn; source += Turn, length -= Turn)
        {
            a = Fold(a, byTurn, Load(source));
            b = Fold(b, byTurn, Load(source + Lane));
            c = Fold(c, byTurn, Load(source + 2 * Lane));
            d = Fold(d, byTurn, Load(source + 3 * Lane));
        }
        Vector512<ulong> folded = Fold(Fold(Fold(a, byLane, b), byLane, c), byLane, d);
        for (; length >= Lane; source += Lane, length -= Lane) folded = Fold(folded, byLane, Load(source));
        return Crc32CStreams.UpdateByOne(Crc32CStreams.UpdateByOne(0, (byte*)&folded, Lane), source, length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<ulong> Load(byte* source) => Vector512.Load((ulong*)source);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<ulong> Fold(Vector512<ulong> part, Vector512<ulong> factors, Vector512<ulong> into) =>
        Pclmulqdq.V512.CarrylessMultiply(part, factors, 0x00) ^ Pclmulqdq.V512.CarrylessMultiply(part, factors, 0x11) ^ into;

    private static Vector512<ulong> Factors(int bits)
    {
        ulong low = (ulong)Crc32CPolynomial.Power(bits + 64 - 1) << 32, high = (ulong)Crc32CPolynomial.Power(bits - 1) << 32;
        return Vector512.Create(low, high, low, high, low, high, low, high);
    }
}
