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
}
