using System.Runtime.InteropServices;
using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// The bytes of a page, read as LAYOUT.md says and not by the library's own types.
public unsafe class LayoutTests
{
    [Fact]
    public void The_headers_have_the_sizes_that_the_layout_says() => Assert.Equal(
        (128, 64, 16, 64, 8),
            (sizeof(PageHeader), sizeof(TreeHeader), sizeof(OverflowHeader), sizeof(MappedPagesHeader), sizeof(FreePageHeader)));

    [Theory]
    [InlineData(3), InlineData(40), InlineData(300)]
    public void A_page_reads_as_the_layout_says(int count)
    {
        byte[] bytes = new byte[65_536];
        SortedPage page = SortedPage.Create(bytes);
        byte[][] keys = [.. Enumerable.Range(0, count).Select(i => Encoding.ASCII.GetBytes($"shared/{i:000}{(i % 2 == 0 ? "" : "x")}"))];
        foreach (byte[] key in keys.Reverse()) Assert.True(page.TrySet(key, [(byte)key.Length, 9]));
        Assert.Equal("MPg1", Encoding.ASCII.GetString(bytes, 0, 4));
        int room = U16(6), prefix = U16(8), step = 1 << bytes[10];
        Assert.Equal((count, 65_536u, 0), (U16(4), U32(12), bytes[11]));
        Assert.True(room >= count && room % 4 == 0 && 17 * step >= count && (step == 16 || 17 * step / 2 < count));
        int live = 0;
        for (int i = 0; i < count; i++)
        {
            int entry = U16(128 + 4 * room + 2 * i);
            Assert.True(entry >= U32(16));
            Assert.Equal((keys[i].Length, 2), (U16(entry), U16(entry + 2)));
            Assert.Equal(keys[i], bytes[(entry + 4)..(entry + 4 + keys[i].Length)]);
            byte[] head = [.. keys[i].Skip(prefix).Concat(new byte[4]).Take(4)];
            long number = ((long)head[0] << 24 | (uint)head[1] << 16 | (uint)head[2] << 8 | head[3]) - (1L << 31);
            Assert.Equal(number, BitConverter.ToInt32(bytes, 128 + 4 * i));
            if (i > 0 && i % step == 0 && i / step <= 16) Assert.Equal(number, BitConverter.ToInt32(bytes, 64 + 4 * (i / step - 1)));
            live += 4 + keys[i].Length + 2;
        }
        for (int i = (count - 1) / step; i < 16; i++) Assert.Equal(int.MaxValue, BitConverter.ToInt32(bytes, 64 + 4 * i));
        Assert.Equal((uint)live, U32(20));
        Assert.Equal(65_536 - 128 - 6 * ((count + 3) / 4 * 4) - live, page.FreeBytes);
        Assert.All(keys, key => Assert.Equal(keys[0][..prefix], key[..prefix]));

        int U16(int at) => MemoryMarshal.Read<ushort>(bytes.AsSpan(at));
        uint U32(int at) => MemoryMarshal.Read<uint>(bytes.AsSpan(at));
    }
}
