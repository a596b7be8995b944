using MemPrims;

// Outside of MemPrims, as a user is: so the README names all that it needs.
namespace Readme;

public unsafe class BlockSample
{
    [Fact]
    public void The_readme_s_code_of_blocks_runs()
    {
        byte[] memory = new byte[300];
        ReadOnlySpan<byte> keyA = "orders/17"u8, keyB = "orders/19"u8;
        const int length = 100;
        fixed (byte* left = memory)
        {
            byte* right = left + 100, destination = left + 50, source = left, mapped = left + 200, page = left;
            left[20] = left[99] = 1;

            // README
            int order = Block.Compare(left, right, length);                 // byte*: negative, zero or positive, as memcmp
            int same = Block.CommonPrefix(keyA, keyB);                      // spans too
            Block.Copy(destination, source, length);                        // may overlap; lengths are nint; mind the order
            Block.CopyStreaming(mapped, page, length);                      // past the cache: for a destination that is in no cache
            uint crc = Checksum.Crc32C(page, length);                       // Crc32C(crc, more) goes on with what follows
            // end of README

            Assert.True(order > 0);
            Assert.True(Block.Compare(right, left, length) < 0 && Block.Compare(left, mapped, length) == 0);
            Assert.Equal("orders/1".Length, same);
            Assert.Equal([20, 70, 149, 220, 270], Enumerable.Range(0, 300).Where(i => memory[i] != 0));
            ReadOnlySpan<byte> all = new(page, length);
            Assert.Equal(crc, Checksum.Crc32C(Checksum.Crc32C(all[..30]), all[30..]));
        }
    }

    [Fact]
    public void A_negative_length_throws_and_a_short_destination_is_left_alone()
    {
        byte[] memory = [1, 2, 3];
        fixed (byte* at = memory)
        {
            nint start = (nint)at;
            Assert.Throws<ArgumentOutOfRangeException>(() => Block.Copy((byte*)start, (byte*)start + 1, -1));
        }
        Assert.Throws<ArgumentException>(() => Block.Copy(memory.AsSpan(0, 1), memory.AsSpan(1)));
        Assert.Equal([1, 2, 3], memory);
    }
}
