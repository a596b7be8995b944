using System.Runtime.Intrinsics.Arm;
using Aes = System.Runtime.Intrinsics.Arm.Aes;

namespace MemPrims;

// CRC-32C by the CRC instruction of x64 and arm64. The processor can begin one instruction of 8 bytes each cycle, but each result takes
// three cycles. So from 768 bytes on, three streams of 256 bytes run at the same time, and carry-less products combine their three
// results. Shorter blocks and tails are one stream.
internal static unsafe class Crc32CStreams
{
    private const int Stream = 256, Turn = 3 * Stream;

    // The product of two reflected 32-bit operands comes out multiplied by x, and the instruction that reduces it multiplies by x^32.
    // So to multiply by x^n, the factor is x^(n−33).
    private static readonly uint s_past1 = Crc32CPolynomial.Power(8 * Stream - 33), s_past2 = Crc32CPolynomial.Power(2 * 8 * Stream - 33);

    public static bool IsSupported => Sse42.X64.IsSupported || Crc32.Arm64.IsSupported;

    private static bool HasProduct => Pclmulqdq.IsSupported || Aes.IsSupported;

    // Continues a CRC. Neither the argument nor the result is inverted.
    public static uint Update(uint crc, byte* source, nint length)
    {
        if (HasProduct && length >= Turn)
        {
            nint turns = length / Turn * Turn;
            crc = UpdateByThree(crc, source, turns);
            source += turns;
            length -= turns;
        }
        return UpdateByOne(crc, source, length);
    }

    // The same by one chain.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint UpdateByOne(uint crc, byte* source, nint length)
    {
        for (; length >= sizeof(ulong); source += sizeof(ulong), length -= sizeof(ulong)) crc = BitOperations.Crc32C(crc, Word(source));
        if ((length & 4) != 0)
        {
            crc = BitOperations.Crc32C(crc, Unsafe.ReadUnaligned<uint>(source));
            source += 4;
        }
        if ((length & 2) != 0)
        {
            crc = BitOperations.Crc32C(crc, Unsafe.ReadUnaligned<ushort>(source));
            source += 2;
        }
        return (length & 1) != 0 ? BitOperations.Crc32C(crc, *source) : crc;
    }

    // Whole turns only.
    private static uint UpdateByThree(uint crc, byte* source, nint length)
    {
        for (byte* end = source + length; source < end; source += Turn)
        {
            uint second = 0, third = 0;
            for (int i = 0; i < Stream; i += sizeof(ulong))
            {
                crc = BitOperations.Crc32C(crc, Word(source + i));
                second = BitOperations.Crc32C(second, Word(source + Stream + i));
                third = BitOperations.Crc32C(third, Word(source + 2 * Stream + i));
            }
            crc = third ^ BitOperations.Crc32C(0, Product(crc, s_past2) ^ Product(second, s_past1));
        }
        return crc;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Word(byte* source) => Unsafe.ReadUnaligned<ulong>(source);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Product(uint left, uint right) =>
        Pclmulqdq.IsSupported
            ? Pclmulqdq.CarrylessMultiply(Vector128.CreateScalar((ulong)left), Vector128.CreateScalar((ulong)right), 0x00).ToScalar()
            : Aes.PolynomialMultiplyWideningLower(Vector64.CreateScalar((ulong)left), Vector64.CreateScalar((ulong)right)).ToScalar();
}
