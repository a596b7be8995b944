using System.Text;
using MemPrims.Pages;
using MemPrims.Records;
using MemPrims.Sets;

namespace MemPrims.Tool.Tests;

[MappedRecord(0x7001)]
public readonly ref partial struct Visit
{
    [Field(0)]
    public partial long Count { get; set; }

    [Utf8(1, Max = 24)]
    public partial ReadOnlySpan<byte> Page { get; set; }

    [Field(2)]
    public partial bool IsOpen { get; set; }

    [Bytes(3, Max = 8)]
    public partial ReadOnlySpan<byte> Hash { get; set; }
}

// A sound file of each kind.
internal static class Samples
{
    public const int Visits = 500;

    public static readonly string Layout = Path.Combine(AppContext.BaseDirectory, "Visit.recordlayout");

    // The kinds that a test can name, with a word of what the command calls them.
    public static TheoryData<string, string> Kinds => new()
    {
        { "records", "a file of records" },
        { "log", "a log" },
        { "pages", "a file of sorted pages" },
        { "set", "a set of ids" },
        { "set64", "a set of 64-bit ids" },
        { "facets", "an image of a facet field" },
    };

    public static void Make(string kind, string path)
    {
        switch (kind)
        {
            case "records": Records(path); break;
            case "log": Log(path); break;
            case "pages": Pages(path); break;
            case "set": Set(path); break;
            case "set64": File.WriteAllBytes(path, IdSet64.From([3, 5, 1UL << 40]).ToByteArray()); break;
            case "facets": Facets(path); break;
            default: throw new ArgumentException(kind);
        }
    }

    public static void Records(string path, int visits = Visits)
    {
        using MappedFile<Visit> file = MappedFile<Visit>.Create(path, new() { MetaSlotBytes = 4096 });
        using WriteTransaction<Visit> transaction = file.BeginWrite();
        for (int i = 0; i < visits; i++)
        {
            Visit visit = transaction.Append();
            visit.Count = i;
            visit.Page = Encoding.UTF8.GetBytes($"/page/{i}");
            visit.IsOpen = i % 2 == 0;
            visit.Hash = [0xFF, (byte)i];
        }
        transaction.Free(7);
        transaction.Commit();
    }

    public static void Log(string folder)
    {
        using LogFile log = LogFile.Create(folder);
        for (int i = 0; i < 100; i++) log.Append(Encoding.UTF8.GetBytes($"entry {i}"));
        log.Sync();
    }

    public static void Pages(string path)
    {
        using MappedPages file = MappedPages.Create(path, 512);
        SortedTree tree = new(file), users = file.Tree("users"u8);
        for (int i = 0; i < 300; i++) tree.Set(Encoding.UTF8.GetBytes($"key {i:D4}"), Encoding.UTF8.GetBytes($"value {i}"));
        tree.Set("large"u8, new byte[3000]);
        for (int i = 0; i < 50; i++) users.Set(Encoding.UTF8.GetBytes($"user {i}"), [(byte)i, 0xFF]);
        for (int i = 100; i < 150; i++) tree.Remove(Encoding.UTF8.GetBytes($"key {i:D4}"));
    }

    private static void Set(string path)
    {
        IdSet set = IdSet.From([3, 5, 70_000]);
        for (uint id = 200_000; id < 209_000; id++) set.Add(id);
        File.WriteAllBytes(path, set.ToByteArray());
    }

    public static void Facets(string path)
    {
        FacetField field = new();
        for (uint id = 0; id < 1000; id++) field.Add(id, id % 3 == 0 ? "red" : "blue");
        File.WriteAllBytes(path, field.ToByteArray());
    }

    // Turns a byte over.
    public static void Damage(string path, long at)
    {
        using FileStream file = File.Open(path, FileMode.Open);
        file.Position = at;
        int was = file.ReadByte();
        file.Position = at;
        file.WriteByte((byte)(was ^ 0xFF));
    }
}
