#:package MemPrims@*-*
using MemPrims.Sets;

// Which orders are red and late, how many of each color, and the set as other languages read it.
IdSet red = [1, 5, 9], late = IdSet.FromInterval(4, 9);
Console.WriteLine(string.Join(' ', red & late));                    // 5 9
Console.WriteLine(red.CountIntersection(late));                     // 2

FacetField color = new();
foreach (uint id in late) color.Set(id, red.Contains(id) ? "red" : "blue");
foreach (FacetCount value in color.Top(late, most: 10)) Console.WriteLine(value);   // blue: 4, red: 2

File.WriteAllBytes("red.roaring", red.ToByteArray());
IdSet opened = IdSet.OpenFrozen(File.ReadAllBytes("red.roaring"), validate: true);
Console.WriteLine(opened.SetEquals(red));                           // True
