using System.Buffers;
using System.Buffers.Binary;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// What an image says where its parts are damaged and nobody checked them, and what a saved column has room for.
public class FacetImageTests
{
    [Fact]
    public void An_ordinal_without_a_value_in_unchecked_bytes_is_told_with_its_place()
    {
        byte[] image = FacetFieldTests.Made([IdSet.From([1, 2]), IdSet.From([2]), IdSet.From([1, 2])], [0], [0, 1]).ToByteArray();
        // The names and the CRC take 6 bytes; the cells of document 2 begin with 1 and 2.
        int cells = image.AsSpan().IndexOf((ReadOnlySpan<byte>)[0, 0, 1, 0, 1, 2, 0, 0]) + 4;
        image[cells + 1] = 200;
        FacetField field = FacetField.Open(image, validate: false);
        int[] counts = new int[2];
        field.Count([1, 2], counts);
        Assert.Equal([2, 0], counts);
        Assert.Equal(["\0"], field.Top(counts, 5).Select(top => top.Name));
        Assert.Equal([0], field.OrdinalsOf(1));
        foreach (Action use in (Action[])[() => field.OrdinalsOf(2).Select(field.Name).ToArray(), () => field.Remove(2),
            () => field.Set(2, "x"), field.Verify])
            Assert.Equal(cells + 1, Assert.Throws<DamagedDataException>(use).Offset);
        // Nothing was changed before.
        Assert.Equal((2, 2), (field.ValueCount, field.CountOf([0])));
    }

    // Ours give a document eight places before its list begins; the format asks for one.
    [Fact]
    public void Values_behind_a_single_place_are_set_and_taken_out()
    {
        IdSet one = IdSet.From([1]);
        FacetColumn column = FacetColumn.Create(width: 1, layers: 1);
        column[1, 0] = 0;
        ArrayBufferWriter<byte> image = new();
        FacetImage.Write(new(image, () => 0), [new byte[] { 7 }, new byte[] { 8 }], [1, 1], [one, one, one], column, new() { [1] = [1] });
        FacetField set = FacetField.Open(image.WrittenSpan.ToArray()), removed = FacetField.Open(image.WrittenSpan.ToArray());
        Assert.Equal([0, 1], set.OrdinalsOf(1));
        set.Set(1, [9]);
        Assert.Equal([2], set.OrdinalsOf(1));
        Assert.Equal((0, 0, 1), (set.CountOf([7]), set.CountOf([8]), set.CountOf([9])));
        set.Verify();
        Assert.True(removed.Remove(1));
        Assert.Equal((0, 0, 0L), (removed.CountOf([7]), removed.CountOf([8]), removed.DocumentCount));
        removed.Verify();
    }

    [Fact]
    public void A_damaged_set_of_an_image_is_told_by_its_place_in_the_image()
    {
        IdSet ten = IdSet.FromInterval(5, 14);
        byte[] set = ten.ToByteArray(), image = FacetFieldTests.Made([ten, ten], [0]).ToByteArray();
        int at = image.AsSpan().IndexOf(set);
        byte[] cookie = [.. image], runs = [.. image];
        cookie[at] ^= 0xFF;
        Assert.Equal(at, Assert.Throws<IdSetDamagedException>(() => FacetField.Open(cookie, validate: false)).Offset);
        BinaryPrimitives.WriteUInt16LittleEndian(runs.AsSpan(at + 13), 99);
        FacetField field = FacetField.Open(runs, validate: false);
        Assert.InRange(Assert.Throws<IdSetDamagedException>(() => field.Documents([0])).Offset, at, at + set.Length);
    }

    [Fact]
    public void A_saved_column_has_the_places_of_the_fullest_document_of_now()
    {
        FacetField field = new();
        for (uint id = 0; id < 100; id++) field.Add(id * 1000, $"city {id % 7}");
        int narrow = field.ToByteArray().Length;
        foreach ((int tags, int layers) in ((int, int)[])[(1, 2), (3, 4), (4, 8), (12, 8), (2, 3), (0, 1)])
        {
            for (int n = 0; n < tags; n++) field.Add(3000, $"tag {n}");
            int extra = layers - 1, chunks = 2;
            byte[] image = field.ToByteArray();
            Assert.InRange(image.Length, narrow + extra * chunks * 65_536, narrow + extra * chunks * 65_536 + 2_000);
            field = FacetField.Open(image);
            field.Verify();
            int[] counts = new int[field.ValueCount];
            field.Count(IdSet.From([0, 3000]), counts);
            Assert.Equal(tags + 2, counts.Sum());
            field.Set(3000, "city 3");
            field.Verify();
        }
    }

    [Fact]
    public void A_gap_in_the_column_of_unchecked_bytes_stays_inside_when_the_column_narrows()
    {
        // The second place of the document is empty and its third is not: in a column of one place that is the place of another document.
        FacetField field = new();
        foreach (string value in (string[])["a", "b", "c"]) field.Add(10, value);
        byte[] image = field.ToByteArray();
        image[image.AsSpan().IndexOf((ReadOnlySpan<byte>)[1, 2, 3]) + 1] = 0;
        FacetField damaged = FacetField.Open(image, validate: false), again = FacetField.Open(damaged.ToByteArray());
        Assert.Equal([0], again.OrdinalsOf(10));
        Assert.Empty(again.OrdinalsOf(12));
        Assert.Throws<DamagedDataException>(again.Verify);
    }
}
