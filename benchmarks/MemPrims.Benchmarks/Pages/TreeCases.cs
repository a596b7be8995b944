using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// A million keys into a tree and out of it, against SortedDictionary and LMDB; then fewer keys with values that are long. The lengths of
/// the keys and the sizes are printed.
/// </summary>
internal sealed class TreeCases : IRatioCases
{
    private const int Rounds = 2, Few = 40_000;

    public static IEnumerable<RatioCase> Cases()
    {
        yield return Load("orders/ padded, ascending", () => PageKeys.Orders(TreeWork.Entries), 4.5, 2.6, append: 1.3);
        yield return Load("orders/ unpadded, ascending numbers", () => PageKeys.UnpaddedOrders(TreeWork.Entries), 1.3, 1.0);
        (string Name, Func<byte[][]> Keys)[] random =
        [
            ("secondary index", () => PageKeys.SecondaryIndex(TreeWork.Entries)),
            ("orders/ padded, random", () => PageKeys.Orders(TreeWork.Entries)),
            ("random 16 bytes", () => PageKeys.Random16(TreeWork.Entries)),
            ("words", () => PageKeys.Words(TreeWork.Entries)),
        ];
        foreach ((string name, Func<byte[][]> keys) in random)
        {
            yield return Load(name, () => PageKeys.Shuffled(keys()), 4.5, 1.8);
            yield return Load(name + ", keys scattered in memory", () => PageKeys.Scattered(keys()), 4.5, 1.8);
        }
        // No head of four bytes tells such keys apart, and each compare reads to their end.
        yield return Load("paths, keys scattered in memory", () => PageKeys.Scattered(PageKeys.Paths(TreeWork.Entries)), 1, 1);
        foreach ((string name, Func<byte[][]> keys) in ((string, Func<byte[][]>)[])
        [
            ("orders/ padded, loaded ascending", () => PageKeys.Orders(TreeWork.Entries)),
            ("orders/ padded, loaded at random", () => PageKeys.Shuffled(PageKeys.Orders(TreeWork.Entries))),
            ("random 16 bytes", () => PageKeys.Random16(TreeWork.Entries)),
            ("words", () => PageKeys.Words(TreeWork.Entries)),
            ("secondary index", () => PageKeys.Shuffled(PageKeys.SecondaryIndex(TreeWork.Entries))),
            ("paths", () => PageKeys.Shuffled(PageKeys.Paths(TreeWork.Entries))),
        ])
        {
            yield return Find("tree, 1 M, queries", name, () => Loaded(keys()), 1.7);
            yield return Scan("tree, 1 M, queries", name, () => Loaded(keys()), 1.6);
        }
        // In the page, then in a page of its own.
        foreach (int bytes in (int[])[200, 900, 1500, 4000])
        {
            yield return Find("tree, long values", $"{bytes} B", () => Loaded(PageKeys.Shuffled(PageKeys.Orders(Few)), bytes), 1.2);
            yield return Scan("tree, long values", $"{bytes} B", () => Loaded(PageKeys.Shuffled(PageKeys.Orders(Few)), bytes), 1);
        }
    }

    private static RatioCase Find(string room, string name, Func<TreeWork> load, double lmdb) =>
        new(room, name + ": lookups", () =>
        {
            TreeWork work = load();
            return new(TreeWork.Lookups, new("SortedTree", work.Find), Lmdb(work.FindLmdb, lmdb)) { Close = work.Dispose };
        });

    private static RatioCase Scan(string room, string name, Func<TreeWork> load, double lmdb) =>
        new(room, name + ": scans of 1,000", () =>
        {
            TreeWork work = load();
            return new((long)TreeWork.Scans * TreeWork.ScanLength,
                new("SortedTree", work.Scan), Lmdb(work.ScanLmdb, lmdb))
            { Close = work.Dispose };
        });

    private static RatioCase Load(string name, Func<byte[][]> prepare, double dictionary, double lmdb, double append = 0) =>
        new("tree, insert 1 M", name, () => LoadContest(prepare(), dictionary, lmdb, append));

    private static Contest LoadContest(byte[][] keys, double dictionary, double lmdb, double append)
    {
        Console.Error.WriteLine($"key lengths: {PageKeys.Histogram(keys)}");
        Contender[] peers =
        [
            new("SortedDictionary, d[key] =", () => TreeWork.LoadDictionary(keys), dictionary),
            new("SortedDictionary.Add", () => TreeWork.AddToDictionary(keys)),
            .. Lmdb(() => TreeWork.LoadLmdb(keys, false), lmdb),
        ];
        if (append > 0) peers = [.. peers, .. Lmdb(() => TreeWork.LoadLmdb(keys, true), append, "LMDB, MDB_APPEND")];
        return new(keys.Length, new("SortedTree", () => TreeWork.Load(keys)), peers) { Rounds = Rounds };
    }

    private static TreeWork Loaded(byte[][] keys, int valueBytes = sizeof(long))
    {
        TreeWork work = new(keys, valueBytes);
        Console.Error.WriteLine(work.Size);
        return work;
    }

    private static Contender[] Lmdb(Func<long> batch, double atLeast, string name = "LMDB") =>
        LmdbLibrary.IsAvailable ? [new(name, batch, atLeast)] : [];
}
