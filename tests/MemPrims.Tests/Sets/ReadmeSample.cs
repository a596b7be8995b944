using MemPrims.Sets;

// Outside of MemPrims, as a user is: so the README names all that it needs.
namespace Readme;

public class SetsSample
{
    [Fact]
    public void The_readme_s_code_of_sets_runs()
    {
        // README
        IdSet query = IdSet.FromSorted([1, 5, 9]);
        byte[] saved = query.ToByteArray();                             // or Serialize: to a span, an IBufferWriter
        IdSet red = IdSet.OpenFrozen(saved, validate: true);            // to read where it lies, a mapped file too; Deserialize: to change
        long both = query.CountIntersection(red);
        int alike = SortedIds.CountIntersection([1, 5, 9], [5u, 9, 12]); // arrays as they are: 2
        FacetField color = new();                                       // the values of documents
        color.Add(1, "red");
        color.Add(5, "red");
        color.Add(9, "blue");
        FacetCount[] top = color.Top(query, most: 10);                  // counted among the hits of a query: red: 2, blue: 1
        FacetCount[] all = color.Top(IdSet.FromInterval(0, 9), most: 10); // count all documents by color: from the first id to the last
        // end of README

        Assert.Equal((3L, 2), (both, alike));
        Assert.Equal(["red: 2", "blue: 1"], top.Select(value => value.ToString()));
        Assert.Equal(top, all);
        Assert.Equal([1, 5, 9], red.ToArray());
        FacetField opened = FacetField.Open(color.ToByteArray());
        opened.Set(9, "red");
        Assert.Equal(["red: 3"], opened.Top(query, most: 10).Select(value => value.ToString()));
    }

    [Fact]
    public void A_set_is_saved_to_a_span_and_a_buffer_and_opened_by_the_handle_of_a_mapped_file()
    {
        IdSet set = IdSet.FromSorted([1, 5, 9]);
        byte[] saved = set.ToByteArray(), bytes = new byte[saved.Length];
        Assert.Equal(saved.Length, set.Serialize(bytes));
        Assert.Equal(saved, bytes);
        System.Buffers.ArrayBufferWriter<byte> buffer = new();
        set.Serialize(buffer);
        Assert.Equal(saved, buffer.WrittenSpan.ToArray());

        using TempFolder folder = new();
        File.WriteAllBytes(folder.File("set"), saved);
        using var map = System.IO.MemoryMappedFiles.MemoryMappedFile.CreateFromFile(folder.File("set"));
        using var view = map.CreateViewAccessor();
        IdSet opened = IdSet.OpenFrozen(view.SafeMemoryMappedViewHandle, 0, saved.Length);
        Assert.Equal([1, 5, 9], opened.ToArray());
    }
}
