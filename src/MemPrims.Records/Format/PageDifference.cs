using Aes = System.Runtime.Intrinsics.Arm.Aes;

namespace MemPrims.Records.Format;

// The XOR of the checksums of two pages that differ in some lines only. A CRC is linear, so this is the CRC of the XOR of the two pages,
// begun at 0 and without inversions. Lines in which the pages are alike are zeros there, and to pass zeros is to multiply by a power of x.
internal static unsafe class PageDifference
{
    private const int LineCount = PageHeader.PageBytes / PageLines.Bytes;

    // By what to multiply a CRC to pass n lines of zeros, which is x^(512 n). Kept here is x^(512 n − 33): the product of two reflected
    // numbers comes out multiplied by x, and its reduction multiplies it by x^32. Each power is made from x^7 by passing 64 n − 5 zero
    // bytes, since 512 n − 33 = 7 + 8 (64 n − 5).
    private static readonly uint[] s_past = [0,
        .. Enumerable.Range(1, LineCount).Select(lines => Continue(1u << (31 - 7), new byte[lines * PageLines.Bytes - 5]))];

    // lines: where they may differ, the header among them; its checksum itself does not count.
    public static uint Of(byte* left, byte* right, ulong lines)
    {
        byte* difference = stackalloc byte[PageHeader.PageBytes];
        uint crc = 0;
        int end = 0;
        while (lines != 0)
        {
            (int start, int length) = PageLines.TakeRun(ref lines);
            for (int i = 0; i < length; i += PageLines.Bytes)
                (Vector512.Load(left + start + i) ^ Vector512.Load(right + start + i)).Store(difference + i);
            int skipped = start == 0 ? PageHeader.ChecksumEnd : 0;
            crc = Continue(Past(crc, start - end), new(difference + skipped, length - skipped));
            end = start + length;
        }
        return Past(crc, PageHeader.PageBytes - end);
    }

    private static uint Past(uint crc, int zeroBytes) => zeroBytes == 0 ? crc
        : BitOperations.Crc32C(0, Product(crc, s_past[zeroBytes / PageLines.Bytes]));

    // Takes and gives the CRC without the inversion at start and end.
    private static uint Continue(uint crc, ReadOnlySpan<byte> bytes) => ~Checksum.Crc32C(~crc, bytes);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Product(uint left, uint right)
    {
        if (Pclmulqdq.IsSupported) return Pclmulqdq.CarrylessMultiply(Vector128.CreateScalar((ulong)left),
            Vector128.CreateScalar((ulong)right), 0x00).ToScalar();
        if (Aes.IsSupported) return Aes.PolynomialMultiplyWideningLower(Vector64.CreateScalar((ulong)left),
            Vector64.CreateScalar((ulong)right)).ToScalar();
        ulong product = 0;
        for (int bit = 0; bit < 32; bit++) product ^= ((ulong)left << bit) & (0UL - ((right >> bit) & 1));
        return product;
    }
}
