using MemPrims.Buffers;
using MemPrims.Codecs;

// Outside of MemPrims, as a user is: so the page names all that it needs.
namespace MainPage;

public class BuffersSample
{
    [Fact]
    public void The_main_page_s_code_of_buffers_has_the_results_of_its_comments()
    {
        // README
        using SegmentList list = new();
        using Appender to = new(list);
        to.Write(42L); to.WriteVarint(300); to.WriteText("name");
        to.Commit();                                                        // publishes; without it Dispose drops
        SegmentReader from = new(list.AsSequence());
        (long number, ulong small, string name) = (from.Read<long>(), from.ReadVarint(), from.ReadText());     // 42, 300, name
        ulong one = Varint.Read([0xAC, 0x02], out int used);                // 300, 2 bytes: of a span; or an exception
        // end of README

        Assert.Equal((42L, 300ul, "name", 0L), (number, small, name, from.Remaining));
        Assert.Equal((300ul, 2), (one, used));
    }
}
