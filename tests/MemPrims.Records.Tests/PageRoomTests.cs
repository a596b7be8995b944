namespace MemPrims.Records.Tests;

// How many records a page has, and where the bits of the free ones are.
public class PageRoomTests
{
    [Fact]
    public void A_full_page_has_as_many_records_as_fit_beside_their_bits()
    {
        for (int bytes = 8; bytes <= PageHeader.Room; bytes += 8)
        {
            int records = PageHeader.PerPage(bytes);
            Assert.True(Fits(records, bytes), $"{records} of {bytes}");
            // 4064 is four times 1016: these leave no byte, and need none.
            Assert.False(Fits(records + 1, bytes), $"{records} of {bytes}");
        }
    }

    [Fact]
    public void Each_record_has_a_bit_of_its_own_outside_all_records()
    {
        for (int bytes = 8; bytes <= PageHeader.Room; bytes += 8)
        {
            int perPage = PageHeader.PerPage(bytes);
            HashSet<int> bits = [];
            for (int record = 0; record < perPage; record++)
            {
                int at = PageHeader.FreeByteOf(record, perPage);
                Assert.True(record < 32 ? at is >= 28 and < 32 : at >= 32 + perPage * bytes && at < 4096, $"{record} of {bytes}");
                Assert.True(bits.Add(at * 8 + (record & 7)));
            }
        }
    }

    // As FORMAT.md says it.
    private static bool Fits(int records, int bytes) => records * bytes + (records <= 32 ? 0 : (records - 32 + 7) / 8) <= 4064;
}
