using MemPrims;

// Outside of MemPrims, as a user is: so the page names all that it needs.
namespace MainPage;

public class BlockSample
{
    [Fact]
    public void The_main_page_s_code_of_blocks_has_the_results_of_its_comments()
    {
        byte[] key = "orders/17"u8.ToArray(), other = "orders/29"u8.ToArray(), destination = new byte[8];
        byte[][] keys = [other, key, "orders"u8.ToArray()];

        // README
        int order = Block.Compare(key, other);                              // negative: key comes first. Only the sign counts
        Array.Sort(keys, BlockComparer.Instance);                           // byte[][], by bytes; it serves a Dictionary, too
        (bool equal, int shared) = (Block.Equal(key, other), Block.CommonPrefix(key, other));       // false, 7
        Block.Copy(destination, key.AsSpan(0, 8));                          // the destination first; they may overlap
        uint crc = Checksum.Crc32C(key);                                    // Crc32C(crc, more) goes on
        // end of README

        Assert.True(order < 0);
        Assert.Equal(["orders"u8.ToArray(), key, other], keys);
        Assert.Equal((false, 7), (equal, shared));
        Assert.Equal("orders/1"u8, destination);
        Assert.Equal(crc, Checksum.Crc32C(Checksum.Crc32C(key.AsSpan(0, 4)), key.AsSpan(4)));
    }
}
