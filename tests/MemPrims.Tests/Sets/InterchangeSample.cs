using MemPrims.Buffers;
using MemPrims.Sets;

// Outside of MemPrims, as a user is: so the page names all that it needs.
namespace Readme;

public class InterchangeSample
{
    [Fact]
    public void The_samples_of_the_page_run()
    {
        using TempFolder folder = new();
        string path = folder.File("set");
        // README
        IdSet ours = IdSet.FromSorted([1, 5, 9]);
        File.WriteAllBytes(path, ours.ToByteArray());                   // for the others
        IdSet theirs = IdSet.Deserialize(File.ReadAllBytes(path));      // of the others; damage is an IdSetDamagedException
        // end of README
        Assert.Equal([1, 5, 9], theirs.ToArray());

        // README
        using SegmentList state = new();
        using (Appender to = new(state))
        {
            to.Write((byte)1);
            to.WriteVarint((ulong)ours.SerializedSize);
            to.Commit();
        }
        ours.Serialize(state);                                          // the column's value in FORMAT RowBinary
        // end of README
        byte[] bytes = ours.ToByteArray();
        Assert.Equal([1, (byte)bytes.Length, .. bytes], System.Buffers.BuffersExtensions.ToArray(state.AsSequence()));
    }
}
