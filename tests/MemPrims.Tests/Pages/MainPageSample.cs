using MemPrims.Pages;

// Outside of MemPrims, as a user is: so the page names all that it needs.
namespace MainPage;

public class PagesSample
{
    [Fact]
    public void The_main_page_s_code_of_pages_has_the_results_of_its_comments()
    {
        File.Delete("orders.pages");
        List<string> used = [];

        // README
        using MappedPages pages = MappedPages.OpenOrCreate("orders.pages"); // anew where a crash left a tree half changed
        SortedTree orders = new(pages);                                     // a B+tree; a file may have several, by name
        orders.Set("orders/1"u8, "Paris"u8);
        bool found = orders.TryGet("orders/1"u8, out ReadOnlySpan<byte> city);      // true, Paris
        SortedCursor each = orders.ScanPrefix("orders/"u8);                 // also Scan(from, to), backwards, page by page
        while (each.Next()) Use(each.Key, each.Value);                      // orders/1 Paris
        // end of README
        Assert.True(found && city.SequenceEqual("Paris"u8));
        // README goes on
        bool removed = orders.Remove("orders/1"u8);                         // true
        pages.Flush();
        // end of README

        Assert.Equal(["orders/1 Paris"], used);
        Assert.True(removed);
        Assert.Equal(0, orders.Count);
        pages.Dispose();
        File.Delete("orders.pages");

        void Use(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
            used.Add($"{System.Text.Encoding.UTF8.GetString(key)} {System.Text.Encoding.UTF8.GetString(value)}");
    }
}
