using MemPrims;
using MemPrims.Pages;
using MemPrims.Sets;

// Outside of MemPrims, as a user is: so the README names all that it needs.
namespace Readme;

public class Program
{
    [Fact]
    public void The_readme_s_program_runs_twice()
    {
        File.Delete("orders.pages");
        Run();
        Run();
        File.Delete("orders.pages");
    }

    private static void Run()
    {
        // README
        using MappedPages file = MappedPages.OpenOrCreate("orders.pages"); // anew where a crash left a tree half changed
        SortedTree orders = new(file);                                    // a B+tree in a mapped file
        orders.Set("orders/1"u8, "Paris"u8);
        orders.Set("orders/2"u8, "Rome"u8);
        orders.Set("orders/3"u8, "Paris"u8);

        FacetField cities = new();                                        // which document has which value
        uint id = 0;
        SortedCursor each = orders.Scan("orders/"u8, "orders0"u8);        // to before "orders0": '0' comes after '/'
        while (each.Next()) cities.Add(id++, each.Value);
        foreach (FacetCount city in cities.Top(IdSet.FromSorted([0, 1, 2]), most: 10)) Console.WriteLine(city);      // Paris: 2, Rome: 1

        bool known = orders.TryGet("orders/2"u8, out ReadOnlySpan<byte> value) && Block.Equal(value, "Rome"u8);
        Console.WriteLine($"{orders.Count} orders, Rome {known}, CRC-32C {Checksum.Crc32C(value):X8}");
        file.Flush();
        // end of README

        Assert.Equal(3, orders.Count);
        Assert.True(known);
        Assert.Equal(3u, id);
    }
}
