#:package MemPrims@*-*
using System.Text;
using MemPrims.Codecs;
using MemPrims.Pages;

// An index by city and number in a file of pages, read in order.
using MappedPages pages = MappedPages.OpenOrCreate("orders.pages");
SortedTree byCity = pages.Tree("by city"u8);
byte[] key = new byte[100];
foreach ((string city, int order) in ((string, int)[])[("Rome", 2), ("Paris", 3), ("Paris", 1)])
{
    int length = SortableKey.WriteText(key, city);
    length += SortableKey.WriteInt(key.AsSpan(length), order);
    byCity.Set(key.AsSpan(0, length), Encoding.UTF8.GetBytes($"{city} {order}"));
}
SortedCursor paris = byCity.ScanPrefix(key.AsSpan(0, SortableKey.WriteText(key, "Paris")));
while (paris.Next()) Console.WriteLine(Encoding.UTF8.GetString(paris.Value));       // Paris 1, Paris 3
pages.Checkpoint(3);
