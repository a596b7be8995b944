using MemPrims;
using MemPrims.Buffers;

// Outside of MemPrims, as a user is: so the README names all that it needs.
namespace Readme;

public class BuffersSample
{
    [Fact]
    public void The_readme_s_code_of_buffers_runs()
    {
        // README
        using SegmentList list = new();
        using Appender to = new(list);
        to.Write(42L);
        to.WriteVarint(300);
        to.WriteText("name");
        to.Commit();                                                    // publishes; without it Dispose drops

        SegmentReader from = new(list.AsSequence());
        long number = from.Read<long>();
        ulong length = from.ReadVarint();
        string name = from.ReadText();                                  // throws DamagedDataException; TryReadText: false, and Status
        // end of README

        Assert.Equal((42L, 300ul, "name", 0L), (number, length, name, from.Remaining));
    }

    [Fact]
    public void What_is_not_committed_is_dropped()
    {
        using SegmentList list = new();
        using (Appender to = new(list)) to.Write(42L);
        Assert.Equal(0, list.Length);
    }

    [Fact]
    public void Damage_is_an_exception_or_a_status_and_bytes_to_come_are_another()
    {
        Assert.Throws<DamagedDataException>(() => new SegmentReader(new([2, 0xC3, 0x28])).ReadText());
        SegmentReader damaged = new(new([2, 0xC3, 0x28])), cut = new(new([2, 0xC3]));
        Assert.False(damaged.TryReadText(out _));
        Assert.False(cut.TryReadText(out _));
        Assert.Equal(System.Buffers.OperationStatus.InvalidData, damaged.Status);
        Assert.Equal(System.Buffers.OperationStatus.NeedMoreData, cut.Status);
    }
}
