using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Pages;

/// <summary>Finding a key in a full page of 8 KiB: hot, from 256 MB of pages, and where heads do not help.</summary>
internal sealed class PageSearchCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        (string Name, Func<byte[][]> Keys)[] kinds =
        [
            ("documents/ 11–13 bytes", () => PageKeys.Shuffled(PageKeys.Documents(360))),
            ("orders/ padded", () => PageKeys.Shuffled(PageKeys.Orders(360, 1_234_000))),
            ("random 16 bytes", () => PageKeys.Random16(600)),
        ];
        foreach ((string name, Func<byte[][]> keys) in kinds) yield return Hot(name, keys, 6, 0, false);
        foreach ((string name, Func<byte[][]> keys) in kinds) yield return Hot(name, keys, 3.7, 0, true);
        yield return Hot("words of 3–12 letters", () => PageKeys.Words(600), 2.5, 3, false);
        yield return Hot("words of 3–12 letters", () => PageKeys.Words(600), 2, 2, true);
        foreach ((string name, Func<byte[][]> keys) in kinds) yield return Cold(name, keys, 2.4, false);
        foreach ((string name, Func<byte[][]> keys) in kinds) yield return Cold(name, keys, 1.5, true);
        foreach (bool dependent in (bool[])[false, true])
        {
            yield return Hot("secondary index, 10 documents a customer", SecondaryIndex, 0, 0, dependent);
            yield return Hot("addresses of 3 sections", Addresses, 0, 0, dependent);
            yield return Cold("secondary index, 10 documents a customer", SecondaryIndex, 0, dependent);
            yield return new("page search, hot, attached for each search", Name("orders/ padded", dependent),
                () => Contest(new(PageKeys.Shuffled(PageKeys.Orders(360, 1_234_000)), attaches: true), dependent, 0, 0));
        }
        foreach (bool dependent in (bool[])[false, true])
            yield return new("page search, one stray key", Name("orders/ padded", dependent), () =>
            {
                PageQueries queries = new(PageKeys.Shuffled(PageKeys.Orders(360, 1_234_000)), stray: true);
                return Contest(queries, dependent, 0, 0.95);
            });
    }

    private static byte[][] SecondaryIndex() => PageKeys.Shuffled(
        [.. PageKeys.SecondaryIndex(1_000_000).Order(PageKeys.Bytes).Skip(40_000).Take(360)]);

    private static byte[][] Addresses() => PageKeys.Shuffled(PageKeys.Addresses(360));

    private static RatioCase Hot(string name, Func<byte[][]> keys, double bcl, double block, bool dependent) =>
        new("page search, hot", Name(name, dependent), () => Contest(new(keys()), dependent, bcl, block));

    private static RatioCase Cold(string name, Func<byte[][]> keys, double bcl, bool dependent) =>
        new("page search, 256 MB", Name(name, dependent), () => Contest(new(keys(), PageQueries.ManyPages), dependent, bcl, 0));

    private static string Name(string name, bool dependent) => $"{name}, {(dependent ? "dependent" : "independent")}";

    private static Contest Contest(PageQueries queries, bool dependent, double bcl, double block)
    {
        Contender[] all = dependent
            ? [new("SortedPage", queries.Dependent<OwnSearch>), new("SequenceCompareTo", queries.Dependent<BclBinarySearch>, bcl),
                new("Block.Compare", queries.Dependent<BlockBinarySearch>, block)]
            : [new("SortedPage", queries.Independent<OwnSearch>), new("SequenceCompareTo", queries.Independent<BclBinarySearch>, bcl),
                new("Block.Compare", queries.Independent<BlockBinarySearch>, block)];
        return new(PageQueries.Calls, all[0], all[1..]) { Close = queries.Dispose };
    }
}
