using MemPrims.Sets;

// Outside of MemPrims, as a user is: so the page names all that it needs.
namespace MainPage;

public class SetsSample
{
    [Fact]
    public void The_main_page_s_code_of_sets_has_the_results_of_its_comments()
    {
        // README
        IdSet a = [1, 5, 9], b = IdSet.FromInterval(4, 9);                  // FromSorted and From take an array or a span
        IdSet both = a & b, either = a | b, rest = a - b;                   // 5, 9; 1 and 4 to 9; 1. IdSet.And(a, b): the same by name
        long hits = a.CountIntersection(b);                                 // 2, and no set is made
        bool has = a.Add(12) && a.Contains(12);                             // true
        byte[] saved = a.ToByteArray();                                     // Roaring, as other languages read it
        IdSet opened = IdSet.OpenFrozen(saved, validate: true);             // 1, 5, 9, 12: where the bytes lie, a mapped file too
        FacetField color = new();
        foreach (uint id in a) color.Set(id, id < 9 ? "red" : "blue");      // 1, 5, 9, 12. Add keeps the values before
        FacetCount[] top = color.Top(a, most: 10);                          // red: 2, blue: 2
        IdSet reds = color.And(a, "red");                                   // 1, 5
        // end of README

        Assert.Equal([5, 9], both.ToArray());
        Assert.Equal([1, 4, 5, 6, 7, 8, 9], either.ToArray());
        Assert.Equal([1], rest.ToArray());
        Assert.Equal((2, true), (hits, has));
        Assert.Equal([1, 5, 9, 12], opened.ToArray());
        Assert.Equal(["red: 2", "blue: 2"], top.Select(value => value.ToString()));
        Assert.Equal([1, 5], reds.ToArray());
    }
}
