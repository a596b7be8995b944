using MemPrims.Tests.Buffers;

namespace MemPrims.Tests.Checksums;

public class ChecksumPartsTests
{
    [Fact]
    public void A_sequence_has_the_sum_of_its_bytes()
    {
        byte[] bytes = new byte[5000];
        Seeds.Random().NextBytes(bytes);
        foreach (int size in new[] { 1, 3, 100, 777, 5000 })
            Assert.Equal(Checksum.Crc32C(5, bytes), Checksum.Crc32C(5, ReaderTests.Cut(bytes, size)));
    }

    [Fact]
    public void Parts_combine_to_the_sum_of_the_whole()
    {
        byte[] bytes = new byte[3000];
        Seeds.Random().NextBytes(bytes);
        for (int cut = 0; cut <= bytes.Length; cut += 17)
        {
            uint first = Checksum.Crc32C(77, bytes.AsSpan(0, cut)), second = Checksum.Crc32C(bytes.AsSpan(cut));
            Assert.Equal(Checksum.Crc32C(77, bytes), Checksum.Crc32CCombine(first, second, bytes.Length - cut));
        }
        // Zeros as long as a terabyte, by parts of half the length.
        uint zeros = Checksum.Crc32C(new byte[1 << 20]);
        long length = 1 << 20;
        uint doubled = zeros;
        for (; length < 1L << 40; length *= 2) doubled = Checksum.Crc32CCombine(doubled, doubled, length);
        uint whole = zeros;
        for (int i = 1; i < 8; i++) whole = Checksum.Crc32CCombine(whole, zeros, 1 << 20);
        Assert.Equal(Checksum.Crc32C(new byte[8 << 20]), whole);
        Assert.NotEqual(0u, doubled);
        Assert.Throws<ArgumentOutOfRangeException>(() => Checksum.Crc32CCombine(1, 2, -1));
    }
}
